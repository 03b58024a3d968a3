import { MoreHorizontal } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import type { SessionSummary } from '@/bindings';
import { IconButton, Menu, MenuItem } from '@/components';
import { NetStatText } from '@/features/diff';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { tid } from '@/testids';
import { TitleEdit } from './TitleEdit';
import { useSessionActions } from './useSessionActions';

interface Props {
  session: SessionSummary;
  number: number;
  isOpen: boolean;
  isTabStop: boolean;
  onFocus: () => void;
  onOpen: () => void;
}

/** What the row says: the backend's state, with “done” for a turn that completed. */
function rowState(session: SessionSummary): 'idle' | 'running' | 'waiting' | 'error' | 'done' {
  if (session.state !== 'idle') return session.state;
  return session.last_outcome === null ? 'idle' : 'done';
}

/** One session: title, and what it is doing. */
export function SessionRow({ session, number, isOpen, isTabStop, onFocus, onOpen }: Props) {
  const t = useT();
  const [editing, setEditing] = useState(false);
  const actions = useSessionActions(session);
  const title = session.title === '' ? t('session.untitled') : session.title;

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    if (isKey(event, 'listOpen')) onOpen();
    else if (isKey(event, 'listRename')) setEditing(true);
    else if (isKey(event, 'listDelete')) actions.remove();
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="row"
      className="session-row"
      data-testid={tid('session-row')}
      data-key={session.session_id}
      data-state={rowState(session)}
      data-session-number={number}
      aria-selected={isOpen}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={editing ? undefined : onOpen}
      onDoubleClick={() => {
        setEditing(true);
      }}
    >
      <div role="gridcell" className="session-cell">
        {editing ? (
          <TitleEdit
            title={session.title}
            onDone={(next) => {
              setEditing(false);
              if (next !== null) actions.rename(next);
            }}
          />
        ) : (
          <span className="truncate session-name" title={title}>
            {title}
          </span>
        )}
        <SecondLine session={session} />
      </div>
      <div role="gridcell" className="session-tools">
        <Menu
          trigger={
            <IconButton
              testId="session-menu"
              label={t('common.menu', title)}
              data-size="small"
              tabIndex={isTabStop ? 0 : -1}
              icon={<MoreHorizontal className="icon-small" aria-hidden="true" />}
              onClick={(event) => {
                event.stopPropagation();
              }}
            />
          }
        >
          <MenuItem
            testId="session-rename"
            label={t('session.menu.rename')}
            onSelect={() => {
              setEditing(true);
            }}
          />
          <MenuItem
            testId="session-archive"
            label={session.archived ? t('session.menu.unarchive') : t('session.menu.archive')}
            onSelect={actions.archive}
          />
          <MenuItem
            testId="session-delete"
            label={t('session.menu.delete')}
            danger
            onSelect={actions.remove}
          />
        </Menu>
      </div>
    </div>
  );
}

function SecondLine({ session }: { session: SessionSummary }) {
  const t = useT();
  const state = rowState(session);
  const { net } = session;
  const changed = net.ai_added + net.ai_removed + net.human_added + net.human_removed > 0;
  if (state === 'running' || state === 'waiting' || state === 'error') {
    return (
      <span className="session-state" data-state={state}>
        <span className="session-dot" aria-hidden="true" />
        {t(`session.state.${state}`)}
      </span>
    );
  }
  return (
    <span className="session-facts numbers">
      <span>{t('session.items', session.item_count)}</span>
      {changed ? <NetStatText net={net} showHuman={net.human_added + net.human_removed > 0} /> : null}
    </span>
  );
}
