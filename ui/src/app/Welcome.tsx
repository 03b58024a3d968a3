import { FolderOpen, Plus } from 'lucide-react';
import { Button, Empty } from '@/components';
import { useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { useApp, useRun, useWorkbench } from '@/state';

/** The middle of the window while no session is open. */
export function Welcome() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const workspace = useApp((state) => state.workspace);
  if (workspace) {
    return (
      <div className="chat-empty">
        <Empty title={t('app.welcome.title')} text={t('app.welcome.text')}>
          <Button
            testId="app-welcome-new"
            look="primary"
            size="large"
            icon={<Plus className="icon-small" aria-hidden="true" />}
            keyHint={keyLabel('newSession')}
            onClick={() => run(workbench.createSession())}
          >
            {t('sidebar.new')}
          </Button>
        </Empty>
      </div>
    );
  }
  return (
    <div className="chat-empty">
      <Empty title={t('app.welcome.title')} text={t('app.welcome.noproject')}>
        <Button
          testId="app-welcome-demo"
          look="primary"
          size="large"
          onClick={() => run(workbench.openDemoWorkspace())}
        >
          {t('app.project.demo')}
        </Button>
        <Button
          testId="app-welcome-open"
          size="large"
          icon={<FolderOpen className="icon-small" aria-hidden="true" />}
          onClick={() => run(workbench.chooseWorkspace())}
        >
          {t('app.project.choose')}
        </Button>
      </Empty>
    </div>
  );
}
