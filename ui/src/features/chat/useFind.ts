import { useEffect, useState } from 'react';
import { useLink, useWorkbench } from '@/state';

/** The search starts this long after the last key. */
const FIND_DELAY_MS = 120;

/** More hits than that are counted as so many. */
const MAX_HITS = 500;

/** Finding words in the session on screen: in all of it, not only in the rows that are loaded. */
export interface FindModel {
  query: string;
  setQuery: (query: string) => void;
  count: number;
  /** Which hit is in view, from 1; 0 before the first jump. */
  at: number;
  go: (step: 1 | -1) => void;
}

export function useFind(): FindModel {
  const workbench = useWorkbench();
  const link = useLink();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<{ query: string; seqs: readonly number[] }>({ query: '', seqs: [] });
  const [at, setAt] = useState(0);
  const text = query.trim();

  useEffect(() => {
    if (text === '') {
      workbench.mark(null);
      return undefined;
    }
    let current = true;
    const timer = window.setTimeout(() => {
      const request = { query: text, workspace: null, session_id: link.sessionId, limit: MAX_HITS };
      workbench.backend
        .call('search', request)
        .then(({ hits }) => {
          if (!current) return;
          const seqs = hits.flatMap((hit) => (hit.seq === null ? [] : [hit.seq])).sort((a, b) => a - b);
          setFound({ query: text, seqs });
          setAt(0);
          workbench.mark(text);
        })
        // No hit is shown then; the words stay in the field.
        .catch(() => undefined);
    }, FIND_DELAY_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [text, workbench, link]);
  // Leaving the search takes its marks away.
  useEffect(
    () => () => {
      workbench.mark(null);
    },
    [workbench],
  );

  const seqs = found.query === text ? found.seqs : [];
  return {
    query,
    setQuery,
    count: seqs.length,
    at,
    go: (step) => {
      if (seqs.length === 0) return;
      // The newest hit is the first one a person wants to see.
      const next =
        at === 0 ? (step > 0 ? seqs.length : 1) : ((at - 1 + step + seqs.length) % seqs.length) + 1;
      const seq = seqs[next - 1];
      setAt(next);
      if (seq !== undefined) void workbench.goTo(link, { seq, query: text });
    },
  };
}
