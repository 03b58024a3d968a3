import { useRef, useState, type KeyboardEvent } from 'react';
import { VList, type VListHandle } from 'virtua';
import { Button, Empty, Failure, Loading } from '@/components';
import { useLocale, useT } from '@/i18n';
import { isKey } from '@/keys';
import { useNow } from '@/lib/useNow';
import { useApp, useCurrentLink, useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { groupSessions, type ListEntry } from './groups';
import { SessionRow } from './SessionRow';

/** “Today” becomes “Yesterday” while the window is open. */
const REGROUP_MS = 60_000;

/** The sessions in their groups. One tab stop; the arrow keys move within. */
export function SessionList() {
  const t = useT();
  const locale = useLocale();
  const list = useApp((state) => state.list);
  const workspace = useApp((state) => state.workspace?.path ?? null);
  const now = useNow(REGROUP_MS);
  const [archived, setArchived] = useState<'shown' | 'hidden'>('hidden');
  const archivedCount = list.sessions.filter((session) => session.archived).length;
  const entries = groupSessions(list.sessions, { workspace, archived, now, locale, t });

  if (list.status === 'loading' && list.sessions.length === 0) return <Loading />;
  return (
    <>
      {list.status === 'error' ? <ListFailure /> : null}
      {entries.length === 0 && list.status !== 'error' ? (
        <div data-testid={tid('sidebar-empty')}>
          <Empty title={t('sidebar.empty')} text={t('sidebar.empty.hint')} />
        </div>
      ) : (
        <Rows entries={entries} />
      )}
      {archivedCount === 0 ? null : (
        <div className="sidebar-bottom">
          <Button
            testId="sidebar-show-archived"
            look="quiet"
            size="small"
            aria-pressed={archived === 'shown'}
            onClick={() => {
              setArchived(archived === 'shown' ? 'hidden' : 'shown');
            }}
          >
            {archived === 'shown' ? t('sidebar.archived.hide') : t('sidebar.archived.show', archivedCount)}
          </Button>
        </div>
      )}
    </>
  );
}

function ListFailure() {
  const t = useT();
  const workbench = useWorkbench();
  const errorText = useErrorText();
  const error = useApp((state) => state.list.error);
  return (
    <Failure title={t('sidebar.error')} text={error ? errorText(error) : undefined}>
      <Button testId="sidebar-retry" size="small" onClick={() => void workbench.app.refreshSessions()}>
        {t('common.again')}
      </Button>
    </Failure>
  );
}

function Rows({ entries }: { entries: readonly ListEntry[] }) {
  const t = useT();
  const workbench = useWorkbench();
  const open = useCurrentLink()?.sessionId;
  const list = useRef<VListHandle>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const sessions = entries.filter((entry) => entry.kind === 'session');
  const stop = sessions.find((entry) => entry.key === (focused ?? open)) ?? sessions[0];

  const focusRow = (at: number) => {
    const target = sessions[Math.min(sessions.length - 1, Math.max(0, at))];
    if (!target) return;
    setFocused(target.key);
    list.current?.scrollToIndex(entries.indexOf(target), { align: 'nearest' });
    requestAnimationFrame(() => {
      document
        .querySelector<HTMLElement>(`[data-session-number][data-key="${CSS.escape(target.key)}"]`)
        ?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.sessionNumber === undefined) return;
    const at = sessions.findIndex((entry) => entry.key === stop?.key);
    const moves = [
      ['listUp', at - 1],
      ['listDown', at + 1],
      ['listFirst', 0],
      ['listLast', sessions.length - 1],
    ] as const;
    const move = moves.find(([name]) => isKey(event, name));
    if (!move) return;
    event.preventDefault();
    focusRow(move[1]);
  };
  return (
    <div
      className="session-list"
      role="grid"
      aria-label={t('app.region.sidebar')}
      data-testid={tid('sidebar-list')}
      onKeyDown={onKeyDown}
      tabIndex={-1}
    >
      <VList ref={list} className="session-scroll">
        {entries.map((entry) =>
          entry.kind === 'group' ? (
            <div
              key={`group-${entry.key}`}
              role="row"
              className="session-group"
              data-testid={tid('sidebar-group')}
              data-key={entry.key}
            >
              <span role="gridcell">{entry.label}</span>
            </div>
          ) : (
            <SessionRow
              key={entry.key}
              session={entry.session}
              number={sessions.indexOf(entry) + 1}
              isOpen={entry.key === open}
              isTabStop={entry.key === stop?.key}
              onFocus={() => {
                setFocused(entry.key);
              }}
              onOpen={() => {
                workbench.openSession(entry.key);
              }}
            />
          ),
        )}
      </VList>
    </div>
  );
}
