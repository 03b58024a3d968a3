import { useState } from 'react';
import { TitleEdit } from '@/features/sessions';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { useLink, useRun, useSession, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** The title of the session; click or F2 to change it. */
export function SessionHeader() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  const title = useSession((session) => session.summary.title, '');
  const [editing, setEditing] = useState(false);
  return (
    <div className="session-header" data-region="header">
      {editing ? (
        <TitleEdit
          title={title}
          onDone={(next) => {
            setEditing(false);
            if (next !== null) run(workbench.renameSession(sessionId, next));
          }}
        />
      ) : (
        <h1 className="session-heading">
          <button
            type="button"
            className="session-title"
            data-testid={tid('session-title')}
            title={t('session.rename.hint')}
            onClick={() => {
              setEditing(true);
            }}
            onKeyDown={(event) => {
              if (!isKey(event, 'listRename')) return;
              event.preventDefault();
              setEditing(true);
            }}
          >
            <span className="truncate">{title === '' ? t('session.untitled') : title}</span>
          </button>
        </h1>
      )}
    </div>
  );
}
