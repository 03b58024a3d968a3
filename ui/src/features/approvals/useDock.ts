import { useEffect, useRef, useState } from 'react';
import type { Ask, CallId } from '@/bindings';
import { useT } from '@/i18n';
import { announceNow } from '@/lib/announce';
import { useLink, useSession, type ClosedAsk } from '@/state';
import { wasAnsweredHere } from './decisions';
import { loadEditor } from './editorModule';
import { titleOf, subjectOf } from './titles';

const NO_ASKS: readonly Ask[] = [];
const NO_CLOSED: readonly ClosedAsk[] = [];

/** The questions of the session and the one on screen. */
export interface DockModel {
  asks: readonly Ask[];
  shown: Ask | null;
  /** Questions that closed without the person; shown for a moment with the reason. */
  withdrawn: readonly ClosedAsk[];
  step: (by: 1 | -1) => void;
}

/** The question on screen stays there until it is answered, whatever else arrives. */
export function useDock(): DockModel {
  const link = useLink();
  const asks = useSession((session) => session.asks, NO_ASKS);
  const closed = useSession((session) => session.closedAsks, NO_CLOSED);
  const [wanted, setWanted] = useState<CallId | null>(null);
  const shown = asks.find((ask) => ask.call_id === wanted) ?? asks[0] ?? null;
  const shownId = shown?.call_id ?? null;
  if (shownId !== wanted) setWanted(shownId);
  useAnnouncement(shown);
  usePreparedEditor();
  return {
    asks,
    shown,
    withdrawn: closed.filter(({ ask }) => !wasAnsweredHere(link, ask.proposal_id)),
    step: (by) => {
      const at = asks.findIndex((ask) => ask.call_id === shownId);
      const next = asks[(at + by + asks.length) % asks.length];
      if (next) setWanted(next.call_id);
    },
  };
}

/** While a turn runs, an edit may be asked about any moment: its editor is loaded before that. */
function usePreparedEditor(): void {
  const runs = useSession((session) => session.phase.phase !== 'idle', false);
  useEffect(() => {
    if (runs) loadEditor();
  }, [runs]);
}

/** Each question is read aloud once. */
function useAnnouncement(shown: Ask | null): void {
  const t = useT();
  const said = useRef<string | null>(null);
  useEffect(() => {
    if (!shown || said.current === shown.proposal_id) return;
    said.current = shown.proposal_id;
    announceNow(t('confirm.announce', titleOf(t, shown), subjectOf(shown)));
  }, [shown, t]);
}
