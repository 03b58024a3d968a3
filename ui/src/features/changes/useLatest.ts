import { useCallback, useEffect, useRef, useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import { begin } from '@/lib/activity';

/** An answer of the backend, as far as it has come. What came before stays while it is asked for again. */
export interface Latest<T> {
  value: T | null;
  error: BackendError | null;
  loading: boolean;
  /** How many answers have come. */
  answers: number;
}

const NOTHING = { value: null, error: null, loading: true, answers: 0 } as const;

/**
 * Asks at once, and again whenever `key` changes; answers to earlier questions are dropped. `key` names what is asked:
 * with another `subject` the earlier answer goes at once.
 */
export function useLatest<T>(
  subject: string,
  key: string,
  ask: () => Promise<T>,
): Latest<T> & { again: () => void } {
  const [state, setState] = useState<{ subject: string; latest: Latest<T> }>({ subject, latest: NOTHING });
  const [round, setRound] = useState(0);
  const asked = useRef(ask);
  useEffect(() => {
    asked.current = ask;
  });
  useEffect(() => {
    let live = true;
    const done = begin();
    const settle = (change: Partial<Latest<T>>) => {
      if (!live) return;
      setState((before) => {
        const known = before.subject === subject ? before.latest : NOTHING;
        const came = change.value === undefined ? 0 : 1;
        return { subject, latest: { ...known, ...change, answers: known.answers + came } };
      });
    };
    settle({ error: null, loading: true });
    asked
      .current()
      .then(
        (value) => {
          settle({ value, error: null, loading: false });
        },
        (thrown: unknown) => {
          settle({ error: toBackendError(thrown), loading: false });
        },
      )
      .finally(done);
    return () => {
      live = false;
    };
  }, [subject, key, round]);
  const again = useCallback(() => {
    setRound((count) => count + 1);
  }, []);
  return { ...(state.subject === subject ? state.latest : NOTHING), again };
}
