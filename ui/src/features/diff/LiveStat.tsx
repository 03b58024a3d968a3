import { ChevronDown } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { DiffStat } from '@/bindings';
import { Button, Popover } from '@/components';
import { useT } from '@/i18n';
import { announce } from '@/lib/announce';
import { tid } from '@/testids';
import { NetStatText } from './NetStatText';
import type { Proposal } from './proposal';
import './stat.css';

/** The numbers are read aloud this long after the last key. */
const SAY_AFTER_MS = 2_000;

/** Whose lines they are, as the person types. */
export function LiveStat({ proposal }: { proposal: Proposal }) {
  const t = useT();
  const stat = useStore(proposal.store, (state) => state.stat);
  const statState = useStore(proposal.store, (state) => state.statState);
  const touched = useStore(proposal.store, (state) => state.touched);
  useSayAfterTyping(proposal, stat);
  return (
    <span
      className="livestat"
      data-testid={tid('diffstat')}
      data-state={statState}
      data-exact={!stat.approximate}
      aria-live="off"
    >
      {stat.approximate ? (
        <span>
          <span aria-hidden="true">≈</span>
          <span className="visually-hidden">{t('stat.about')}</span>
        </span>
      ) : null}
      <NetStatText net={stat.net} showHuman={touched} />
      <Details stat={stat} />
    </span>
  );
}

/** Apart, so that it is not drawn again while numbers are only awaited. */
const Details = memo(function Details({ stat }: { stat: DiffStat }) {
  const t = useT();
  return (
    <Popover
      title={t('stat.title')}
      trigger={
        <Button testId="diffstat-details" look="quiet" size="small">
          {t('stat.details')}
          <ChevronDown className="icon-small" aria-hidden="true" />
        </Button>
      }
    >
      <StatDetails stat={stat} />
    </Popover>
  );
});

/** The words for the numbers. */
export function useStatWords(): (proposal: Proposal) => string {
  const t = useT();
  return (proposal) => {
    const { stat, touched } = proposal.store.getState();
    const { ai_added: aiAdded, ai_removed: aiRemoved, human_added: added, human_removed: removed } = stat.net;
    return touched
      ? t('stat.said.both', aiAdded, aiRemoved, added, removed)
      : t('stat.said.ai', aiAdded, aiRemoved);
  };
}

function useSayAfterTyping(proposal: Proposal, stat: DiffStat): void {
  const words = useStatWords();
  const latest = useRef(words);
  useEffect(() => {
    latest.current = words;
  });
  useEffect(() => {
    if (!proposal.store.getState().touched) return undefined;
    const timer = window.setTimeout(() => {
      announce(latest.current(proposal));
    }, SAY_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [proposal, stat]);
}

function StatDetails({ stat }: { stat: DiffStat }) {
  const t = useT();
  const whitespace = stat.model_whitespace_only_lines + stat.user_whitespace_only_lines;
  const { net } = stat;
  const fileAdded = net.ai_added + net.human_added;
  const fileRemoved = net.ai_removed + net.human_removed;
  return (
    <>
      <dl className="facts">
        <dt>{t('stat.proposed')}</dt>
        <dd
          data-testid={tid('diffstat-proposed')}
          data-added={stat.model_added_lines}
          data-removed={stat.model_removed_lines}
        >
          {t('stat.counts', stat.model_added_lines, stat.model_removed_lines)}
        </dd>
        <dt>{t('stat.touched')}</dt>
        <dd
          data-testid={tid('diffstat-touched')}
          data-added={stat.user_added_lines}
          data-removed={stat.user_removed_lines}
        >
          {t('stat.counts', stat.user_added_lines, stat.user_removed_lines)}
        </dd>
        <dt>{t('stat.undone')}</dt>
        <dd
          data-testid={tid('diffstat-undone')}
          data-added={net.ai_added_undone}
          data-removed={net.ai_removed_undone}
        >
          {t('stat.counts', net.ai_added_undone, net.ai_removed_undone)}
        </dd>
        {whitespace > 0 ? (
          <>
            <dt>{t('stat.whitespace')}</dt>
            <dd>{whitespace}</dd>
          </>
        ) : null}
        <dt>{t('stat.file')}</dt>
        <dd data-testid={tid('diffstat-file')} data-added={fileAdded} data-removed={fileRemoved}>
          {t('stat.counts', fileAdded, fileRemoved)}
        </dd>
      </dl>
      <p className="stat-rule">{t('stat.rule')}</p>
    </>
  );
}
