import { RotateCcw } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button, Failure, Loading } from '@/components';
import { FirstRun } from '@/features/first-run';
import { LanguageProvider, useT } from '@/i18n';
import { useApp, useErrorText, useUi, useWorkbench, WorkbenchProvider, type Workbench } from '@/state';
import { tid } from '@/testids';
import { Announcer } from './Announcer';
import { ErrorBoundary } from './ErrorBoundary';
import { Toasts } from './Toasts';
import { useAppearance } from './useAppearance';
import { Window } from './Window';

const Help = lazy(() => import('./Help'));
const QuitDialog = lazy(() => import('@/features/shells/QuitDialog'));

/** The whole window. */
export function App({ workbench }: { workbench: Workbench }) {
  return (
    <WorkbenchProvider workbench={workbench}>
      <Languages />
    </WorkbenchProvider>
  );
}

function Languages() {
  const locale = useAppearance();
  return (
    <LanguageProvider locale={locale}>
      <div className="app" data-testid={tid('app-root')}>
        <ErrorBoundary>
          <Screen />
        </ErrorBoundary>
        <Announcer />
        <Toasts />
        <MaybeHelp />
        <MaybeQuit />
      </div>
    </LanguageProvider>
  );
}

function MaybeHelp() {
  const open = useUi((state) => state.helpOpen);
  return open ? (
    <Suspense>
      <Help />
    </Suspense>
  ) : null;
}

function MaybeQuit() {
  const closing = useApp((state) => state.closing);
  return closing ? (
    <Suspense>
      <QuitDialog />
    </Suspense>
  ) : null;
}

function Screen() {
  const status = useApp((state) => state.status);
  const t = useT();
  switch (status) {
    case 'booting':
      return <Loading text={t('app.booting')} />;
    case 'first-run':
      return <FirstRun />;
    case 'ready':
      return <Window />;
    case 'backend-lost':
      return <Lost />;
  }
}

function Lost() {
  const t = useT();
  const workbench = useWorkbench();
  const error = useApp((state) => state.lost);
  const errorText = useErrorText();
  return (
    <main className="app-lost">
      <Failure title={t('app.lost.title')} text={error ? errorText(error) : t('app.lost.text')}>
        <Button
          testId="app-retry"
          look="primary"
          icon={<RotateCcw className="icon-small" aria-hidden="true" />}
          onClick={() => void workbench.boot()}
        >
          {t('common.again')}
        </Button>
      </Failure>
    </main>
  );
}
