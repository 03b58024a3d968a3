import { Plus, Search, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '@/components';
import { useT } from '@/i18n';
import { isComposing, keyLabel } from '@/keys';
import { useApp, useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { SearchResults } from './SearchResults';
import { SessionList } from './SessionList';
import { useSearch } from './useSearch';
import './sessions.css';

/** New session, search, and the list of sessions. */
export function Sidebar() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const hasProject = useApp((state) => state.workspace !== null);
  const list = useApp((state) => state.list);
  const [query, setQuery] = useState('');
  const search = useSearch(query);
  const state =
    search.status === 'none' ? listState(list) : search.status === 'searching' ? 'searching' : 'ready';
  return (
    <div className="sidebar" data-testid={tid('sidebar')} data-state={state}>
      <div className="sidebar-top">
        <Button
          testId="sidebar-new"
          icon={<Plus className="icon-small" aria-hidden="true" />}
          keyHint={keyLabel('newSession')}
          disabled={!hasProject}
          onClick={() => run(workbench.createSession())}
        >
          {t('sidebar.new')}
        </Button>
        <div className="search-field">
          <Search className="icon-small" aria-hidden="true" />
          <input
            type="text"
            role="searchbox"
            data-testid={tid('sidebar-search')}
            aria-label={t('sidebar.search')}
            placeholder={t('sidebar.search.placeholder')}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && !isComposing(event)) setQuery('');
            }}
          />
          {query === '' ? null : (
            <IconButton
              testId="sidebar-search-clear"
              label={t('sidebar.search.clear')}
              data-size="small"
              icon={<X className="icon-small" aria-hidden="true" />}
              onClick={() => {
                setQuery('');
              }}
            />
          )}
        </div>
      </div>
      {search.status === 'none' ? <SessionList /> : <SearchResults query={query} search={search} />}
    </div>
  );
}

function listState(list: { status: 'loading' | 'ready' | 'error'; sessions: readonly unknown[] }): string {
  if (list.status === 'ready' && list.sessions.length === 0) return 'empty';
  return list.status;
}
