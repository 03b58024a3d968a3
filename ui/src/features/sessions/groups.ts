import type { SessionSummary } from '@/bindings';
import { formatMonth, type Locale, type Translate } from '@/i18n';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** One line of the session list. */
export type ListEntry =
  { kind: 'group'; key: string; label: string } | { kind: 'session'; key: string; session: SessionSummary };

interface Options {
  workspace: string | null;
  archived: 'shown' | 'hidden';
  now: number;
  locale: Locale;
  t: Translate;
}

interface Group {
  rank: number;
  key: string;
  label: string;
}

/** Ranks of the groups that are not a time; times lie between `running` and `other`. */
const RANK = {
  waiting: 0,
  running: 1,
  today: 2,
  yesterday: 3,
  week: 4,
  month: 5,
  other: 1_000_000,
  archived: 2_000_000,
};

/** The sessions in their groups, newest first within a group. */
export function groupSessions(sessions: readonly SessionSummary[], options: Options): ListEntry[] {
  const shown = sessions.filter((session) => options.archived === 'shown' || !session.archived);
  const grouped = shown.map((session) => ({ session, group: groupOf(session, options) }));
  grouped.sort((a, b) => a.group.rank - b.group.rank || b.session.updated_at - a.session.updated_at);
  const entries: ListEntry[] = [];
  let last = '';
  for (const { session, group } of grouped) {
    if (group.key !== last) entries.push({ kind: 'group', key: group.key, label: group.label });
    last = group.key;
    entries.push({ kind: 'session', key: session.session_id, session });
  }
  return entries;
}

function groupOf(session: SessionSummary, options: Options): Group {
  const { t, workspace, now, locale } = options;
  if (session.archived) return { rank: RANK.archived, key: 'archived', label: t('group.archived') };
  if (session.state === 'waiting') return { rank: RANK.waiting, key: 'waiting', label: t('group.waiting') };
  if (session.state === 'running') return { rank: RANK.running, key: 'running', label: t('group.running') };
  if (session.workspace !== workspace) return { rank: RANK.other, key: 'other', label: t('group.other') };
  const days = Math.floor((startOfDay(now) - startOfDay(session.updated_at)) / DAY_MS + 0.5);
  if (days <= 0) return { rank: RANK.today, key: 'today', label: t('group.today') };
  if (days === 1) return { rank: RANK.yesterday, key: 'yesterday', label: t('group.yesterday') };
  if (days < WEEK_DAYS) return { rank: RANK.week, key: 'week', label: t('group.week') };
  const months = monthsBetween(session.updated_at, now);
  return {
    rank: RANK.month + months,
    key: `month-${months}`,
    label: formatMonth(locale, session.updated_at),
  };
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getFullYear() - a.getFullYear()) * 12 + b.getMonth() - a.getMonth();
}
