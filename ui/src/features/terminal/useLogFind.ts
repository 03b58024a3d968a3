import { useEffect, useState } from 'react';
import type { LogModel } from './logModel';

/** A word is looked for once the person pauses. */
const FIND_DELAY_MS = 150;

export interface LogFind {
  /** In lower case; empty while nothing is looked for. */
  query: string;
  text: string;
  setText: (text: string) => void;
  /** Lines with a match, and which of them was gone to, from zero. */
  hits: readonly number[];
  total: number;
  at: number;
  /** The line of the match that was gone to. */
  line: number | null;
  state: 'idle' | 'searching' | 'found' | 'none';
  go: (by: 1 | -1) => void;
}

/** Looks for a text in a log and goes from match to match. */
export function useLogFind(model: LogModel, show: (line: number) => void): LogFind {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ query: string; hits: readonly number[]; total: number } | null>(null);
  const [at, setAt] = useState(0);
  const query = text.toLowerCase();
  useEffect(() => {
    if (text === '') return undefined;
    let wanted = true;
    const timer = window.setTimeout(() => {
      model
        .find(text)
        .then(({ hits, total }) => {
          if (!wanted) return;
          setFound({ query, hits, total });
          setAt(0);
          const [line] = hits;
          if (line !== undefined) show(line);
        })
        .catch(() => {
          if (wanted) setFound({ query, hits: [], total: 0 });
        });
    }, FIND_DELAY_MS);
    return () => {
      wanted = false;
      window.clearTimeout(timer);
    };
    // `show` is made anew with each rendering and does the same each time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [model, query, text]);
  const current = found?.query === query ? found : null;
  const hits = current?.hits ?? [];
  return {
    query,
    text,
    setText,
    hits,
    total: current?.total ?? 0,
    at,
    line: query === '' ? null : (hits[at] ?? null),
    state: text === '' ? 'idle' : !current ? 'searching' : hits.length > 0 ? 'found' : 'none',
    go: (by) => {
      if (hits.length === 0) return;
      const next = (at + by + hits.length) % hits.length;
      setAt(next);
      const line = hits[next];
      if (line !== undefined) show(line);
    },
  };
}
