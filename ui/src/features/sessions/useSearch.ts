import { useEffect, useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { SearchHit, SessionId } from '@/bindings';
import { useWorkbench } from '@/state';
import { isSearchable } from './snippet';

/** A search starts this long after the last key. */
const SEARCH_DELAY_MS = 120;

/** More hits than that are not read; other words are. */
const MAX_HITS = 100;

export type SearchState =
  | { status: 'none' }
  | { status: 'searching' }
  | { status: 'ready'; groups: readonly HitGroup[] }
  | { status: 'error'; error: BackendError };

/** The hits of one session. */
export interface HitGroup {
  sessionId: SessionId;
  title: string;
  hits: readonly SearchHit[];
}

interface Answer {
  query: string;
  state: SearchState;
}

/** Searches titles and transcripts while the person types. */
export function useSearch(query: string): SearchState {
  const { backend } = useWorkbench();
  const [answer, setAnswer] = useState<Answer>({ query: '', state: { status: 'none' } });
  const text = query.trim();
  useEffect(() => {
    if (!isSearchable(text)) return undefined;
    let current = true;
    const show = (state: SearchState) => {
      if (current) setAnswer({ query: text, state });
    };
    const timer = window.setTimeout(() => {
      backend
        .call('search', { query: text, workspace: null, session_id: null, limit: MAX_HITS })
        .then(({ hits }) => {
          show({ status: 'ready', groups: groupHits(hits) });
        })
        .catch((thrown: unknown) => {
          show({ status: 'error', error: toBackendError(thrown) });
        });
    }, SEARCH_DELAY_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [backend, text]);
  if (!isSearchable(text)) return { status: 'none' };
  return answer.query === text ? answer.state : { status: 'searching' };
}

function groupHits(hits: readonly SearchHit[]): HitGroup[] {
  const groups = new Map<SessionId, SearchHit[]>();
  for (const hit of hits) groups.set(hit.session_id, [...(groups.get(hit.session_id) ?? []), hit]);
  return [...groups].map(([sessionId, group]) => ({ sessionId, title: group[0]?.title ?? '', hits: group }));
}
