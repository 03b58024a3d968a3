import { GitCompare, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components';
import { TitleEdit } from '@/features/sessions';
import { useT } from '@/i18n';
import { isKey, keyLabel } from '@/keys';
import { useLink, useRun, useSession, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { FindBar } from './FindBar';
import { RewindMenu } from './RewindMenu';

/** The title of the session; click or F2 to change it. */
export function SessionHeader() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  const title = useSession((session) => session.summary.title, '');
  const [editing, setEditing] = useState(false);
  const [finding, setFinding] = useState(false);
  useFindKey(() => {
    setFinding(true);
  });
  return (
    <div className="session-header" data-region="header">
      {editing ? (
        <TitleEdit
          title={title}
          onDone={(next) => {
            setEditing(false);
            if (next !== null) void run(workbench.renameSession(sessionId, next));
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
      {finding ? (
        <FindBar
          onClose={() => {
            setFinding(false);
          }}
        />
      ) : (
        <span className="find-bar">
          <RewindMenu />
          <Button
            testId="wsdiff-open"
            size="small"
            icon={<GitCompare className="icon-small" aria-hidden="true" />}
            title={`${t('wsdiff.title')} (${keyLabel('changes')})`}
            onClick={() => {
              workbench.ui.setState({ route: { name: 'changes' } });
            }}
          >
            {t('wsdiff.open')}
          </Button>
          <Button
            testId="session-find"
            size="small"
            icon={<Search className="icon-small" aria-hidden="true" />}
            title={keyLabel('find')}
            onClick={() => {
              setFinding(true);
            }}
          >
            {t('find.open')}
          </Button>
        </span>
      )}
    </div>
  );
}

/** The key works wherever the focus is in this session, but not inside an editor, which has its own search. */
function useFindKey(open: () => void): void {
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const inside =
        event.target instanceof Element && event.target.closest('.cm-editor, [data-takes-keys="true"]');
      if (event.defaultPrevented || inside || !isKey(event, 'find')) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
    };
  }, []);
}
