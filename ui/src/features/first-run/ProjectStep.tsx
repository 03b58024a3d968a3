import { FolderOpen, Sparkles } from 'lucide-react';
import { useState } from 'react';
import { toBackendError } from '@/backend';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useApp, useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** As many folders as can be read at a glance. */
const MAX_RECENT = 4;

/** Which folder: the sample project, one of the person's own, or one that was open before. */
export function ProjectStep({ onOpened }: { onOpened: () => void }) {
  const t = useT();
  const workbench = useWorkbench();
  const errorText = useErrorText();
  const recent = useApp((state) => state.settings?.recent_workspaces ?? NONE).slice(0, MAX_RECENT);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const open = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      if ((await work()) !== false) onOpened();
    } catch (thrown) {
      setError(errorText(toBackendError(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p className="first-lead">{t('first.project.lead')}</p>
      <div className="first-project">
        <Button
          testId="first-demo"
          look="primary"
          size="large"
          disabled={busy}
          icon={<Sparkles className="icon-small" aria-hidden="true" />}
          onClick={() => void open(() => workbench.openDemoWorkspace())}
        >
          {t('first.project.demo')}
        </Button>
        <p className="first-option-text">{t('first.project.demo.text')}</p>
      </div>
      <div className="first-project">
        <Button
          testId="first-open"
          size="large"
          disabled={busy}
          icon={<FolderOpen className="icon-small" aria-hidden="true" />}
          onClick={() => void open(() => workbench.chooseWorkspace())}
        >
          {t('first.project.open')}
        </Button>
        <p className="first-option-text">{t('first.project.nogit')}</p>
      </div>
      {recent.length > 0 ? <p className="first-label">{t('first.project.recent')}</p> : null}
      {recent.map((path) => (
        <Button
          key={path}
          testId="first-recent"
          data-key={path}
          look="link"
          disabled={busy}
          onClick={() => void open(() => workbench.openWorkspace(path))}
        >
          {path}
        </Button>
      ))}
      {error === null ? null : (
        <p className="first-error selectable" role="alert" data-testid={tid('first-error')}>
          {error}
        </p>
      )}
    </>
  );
}

const NONE: readonly string[] = [];
