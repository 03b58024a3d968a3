import { Button, Empty, Failure, Loading } from '@/components';
import type { SearchHit } from '@/bindings';
import { useT } from '@/i18n';
import { useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { snippetParts } from './snippet';
import type { SearchState } from './useSearch';

/** What was found, by session, with the words marked. */
export function SearchResults({ query, search }: { query: string; search: SearchState }) {
  const t = useT();
  const errorText = useErrorText();
  switch (search.status) {
    case 'none':
      return null;
    case 'searching':
      return <Loading text={t('sidebar.searching')} />;
    case 'error':
      return <Failure title={t('sidebar.search.error')} text={errorText(search.error)} />;
    case 'ready':
      break;
  }
  if (search.groups.length === 0) {
    return (
      <div data-testid={tid('sidebar-empty')}>
        <Empty title={t('sidebar.nothing', query.trim())} />
      </div>
    );
  }
  return (
    <div className="search-results">
      {search.groups.map((group) => (
        <section key={group.sessionId}>
          <h2 className="session-group">
            {group.title === '' ? t('session.untitled') : group.title}{' '}
            <span className="numbers">{t('sidebar.hits', group.hits.length)}</span>
          </h2>
          {group.hits.map((hit) => (
            <Hit key={`${hit.session_id}-${hit.seq ?? 'title'}`} hit={hit} query={query} />
          ))}
        </section>
      ))}
    </div>
  );
}

function Hit({ hit, query }: { hit: SearchHit; query: string }) {
  const t = useT();
  const workbench = useWorkbench();
  return (
    <Button
      testId="session-hit"
      look="quiet"
      data-key={`${hit.session_id}:${hit.seq ?? 'title'}`}
      onClick={() => {
        workbench.openSession(hit.session_id, { seq: hit.seq, query: query.trim() });
      }}
    >
      <span className="session-snippet">
        {hit.seq === null ? <span className="muted">{t('session.hit.title')}: </span> : null}
        {snippetParts(hit.snippet).map((part, at) =>
          part.found ? <mark key={at}>{part.text}</mark> : <span key={at}>{part.text}</span>,
        )}
      </span>
    </Button>
  );
}
