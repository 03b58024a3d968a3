import { useEffect, useState } from 'react';
import { createStore, useStore, type StoreApi } from 'zustand';
import { newOp, toBackendError, type BackendError } from '@/backend';
import type { RewindChoice as Chosen, RewindPlan, RewindWhat } from '@/bindings';
import { useT } from '@/i18n';
import { useLink, useRun, useSession, useWorkbench, type SessionLink } from '@/state';
import { failureText, usePutBack } from './usePutBack';

/** What went back last in this window, for as long as it can be undone. */
interface Rewound {
  files: number;
  /** The newest row then; a message of the person after it ends the offer. */
  newest: number;
}

const rewoundBySession = new WeakMap<SessionLink, StoreApi<{ last: Rewound | null }>>();

function rewoundOf(link: SessionLink): StoreApi<{ last: Rewound | null }> {
  let store = rewoundBySession.get(link);
  if (!store) {
    store = createStore<{ last: Rewound | null }>(() => ({ last: null }));
    rewoundBySession.set(link, store);
  }
  return store;
}

/** What the person has chosen in the dialog. */
export interface RewindChoice {
  what: RewindWhat;
  setWhat: (what: RewindWhat) => void;
  /** Canonical paths. */
  paths: ReadonlySet<string>;
  /** Those files, as they were shown. */
  chosen: Chosen[];
  toggle: (path: string) => void;
  /** Files that are merged instead of overwritten. */
  merged: ReadonlyMap<string, Chosen>;
  merge: (file: Chosen) => void;
}

/** Files that go back unless the person says otherwise: all but those that somebody else changed since. */
export function useRewindChoice(plan: RewindPlan | null): RewindChoice {
  const [chosenWhat, setWhat] = useState<RewindWhat | null>(null);
  const [chosenPaths, setPaths] = useState<ReadonlySet<string> | null>(null);
  const [merged, setMerged] = useState<ReadonlyMap<string, Chosen>>(new Map());
  const files = plan?.files ?? [];
  const usual = files.filter((file) => file.action === 'restore' || file.action === 'delete');
  const paths = chosenPaths ?? new Set(usual.map((file) => file.path));
  return {
    what: chosenWhat ?? (files.length > 0 ? 'both' : 'conversation'),
    setWhat,
    paths,
    chosen: files
      .filter((file) => paths.has(file.path))
      .map(({ path, current_hash }) => merged.get(path) ?? { path, current_hash, merged_hash: null }),
    toggle: (path) => {
      const next = new Set(paths);
      if (!next.delete(path)) next.add(path);
      setPaths(next);
      setMerged(new Map([...merged].filter(([known]) => known !== path)));
    },
    merged,
    merge: (file) => {
      setPaths(new Set([...paths, file.path]));
      setMerged(new Map([...merged, [file.path, file]]));
    },
  };
}

/** Goes back to before a message. */
export function useRewind() {
  const t = useT();
  const link = useLink();
  const { backend, toasts } = useWorkbench();
  const [error, setError] = useState<BackendError | null>(null);
  const rewind = async (seq: number, choice: RewindChoice): Promise<boolean> => {
    setError(null);
    try {
      const {
        put_back: files,
        text,
        images,
      } = await backend.call('rewind', {
        op: newOp(),
        session_id: link.sessionId,
        seq,
        what: choice.what,
        files: choice.what === 'conversation' ? [] : choice.chosen,
      });
      for (const failure of files.failures) toasts.show({ kind: 'warning', text: failureText(t, failure) });
      if (images.length > 0) toasts.show({ kind: 'info', text: t('rewind.pictures', images.length) });
      if (text !== null && text !== '') link.drafts.giveBack('composer', text);
      const view = link.store.getState();
      const newest = view.status === 'ready' ? (view.session.order.at(-1) ?? 0) : 0;
      rewoundOf(link).setState({ last: { files: files.paths.length, newest } });
      return true;
    } catch (thrown) {
      setError(toBackendError(thrown));
      return false;
    }
  };
  return { rewind, error };
}

/** What went back before this window was there can be undone too. */
function useOfferOfEarlier(link: SessionLink): void {
  const { backend } = useWorkbench();
  useEffect(() => {
    const store = rewoundOf(link);
    if (store.getState().last !== null) return;
    backend
      .call('rewind_offer', { session_id: link.sessionId })
      .then(({ can_undo, files, seq }) => {
        if (can_undo && store.getState().last === null) store.setState({ last: { files, newest: seq } });
      })
      // Without an answer nothing is offered; what can be undone is shown again when the session is opened.
      .catch(() => undefined);
  }, [backend, link]);
}

/** The offer to undo: until the next message, also after a restart. `files` is 0 where that is not known. */
export function useRewound(): { files: number; undo: () => Promise<void> } | null {
  const link = useLink();
  const run = useRun();
  const { backend } = useWorkbench();
  const { tell } = usePutBack();
  const last = useStore(rewoundOf(link), (state) => state.last);
  useOfferOfEarlier(link);
  const idle = useSession((session) => session.phase.phase === 'idle', false);
  const noticed = useSession((session) => {
    const body = session.items[session.order.at(-1) ?? -1]?.body;
    return body?.kind === 'notice' && body.code === 'rewound';
  }, false);
  const spoken = useSession(
    (session) =>
      last !== null &&
      session.order.some((seq) => seq > last.newest && session.items[seq]?.body.kind === 'user'),
    false,
  );
  const undone = useSession((session) => {
    const body = session.items[session.order.at(-1) ?? -1]?.body;
    return body?.kind === 'notice' && body.code === 'rewind_undone';
  }, false);
  const offered = idle && !undone && (noticed || (last !== null && !spoken));
  if (!offered) return null;
  const undo = async () => {
    const { put_back: files } = await backend.call('undo_rewind', {
      op: newOp(),
      session_id: link.sessionId,
    });
    rewoundOf(link).setState({ last: null });
    tell(link.sessionId, { ...files, undo: null }, 'rewind.undone');
  };
  return { files: last?.files ?? 0, undo: () => run(undo()) };
}
