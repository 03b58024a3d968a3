import { lazy, Suspense } from 'react';
import { useStore } from 'zustand';
import { Loading } from '@/components';
import { ChatScreen } from '@/features/chat';
import { Sidebar } from '@/features/sessions';
import { useEndNotices } from '@/features/shells';
import { useT } from '@/i18n';
import { SessionProvider, useCurrentLink, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { ErrorBoundary } from './ErrorBoundary';
import { Resizer } from './Resizer';
import { RightPanel } from './RightPanel';
import { StatusBar } from './StatusBar';
import { StoreBanner } from './StoreBanner';
import { TitleBar } from './TitleBar';
import { useAppKeys } from './useAppKeys';
import { useLayout } from './useLayout';
import { useWindowTitle } from './useWindowTitle';
import { Welcome } from './Welcome';
import './window.css';

const Settings = lazy(() => import('@/features/settings'));
const Review = lazy(() => import('@/features/approvals/Review'));
const WorkspaceDiff = lazy(() => import('@/features/changes/WorkspaceDiff'));

/** The window after the first run: title bar, sessions, the work, side panel, status. */
export function Window() {
  const t = useT();
  const layout = useLayout();
  const workbench = useWorkbench();
  const { sidebarPx, panelPx } = useStore(workbench.ui);
  const hasSession = useCurrentLink() !== null;
  const inChat = useUi((state) => state.route.name === 'chat') && hasSession;
  useAppKeys(layout);
  useWindowTitle();
  useEndNotices();
  const closeDrawers = () => {
    workbench.ui.setState({ sidebarOpen: null, panelOpen: null });
  };
  const covered =
    (layout.sidebar === 'drawer' && layout.sidebarOpen) || (layout.panel === 'drawer' && layout.panelOpen);
  return (
    <>
      {inChat ? (
        <a className="skip-link" href="#composer" data-testid={tid('app-skip')} onClick={skipToComposer}>
          {t('app.skip')}
        </a>
      ) : null}
      <TitleBar layout={layout} />
      <div className="window-body">
        {layout.sidebarOpen ? (
          <nav
            className="window-sidebar"
            aria-label={t('app.region.sidebar')}
            data-place={layout.sidebar}
            data-region="sidebar"
            style={{ width: `${sidebarPx / 10}rem` }}
          >
            <Sidebar />
            <Resizer side="sidebar" />
          </nav>
        ) : null}
        <main className="window-main" data-testid={tid('app-main')} aria-label={t('app.region.main')}>
          <StoreBanner />
          <ErrorBoundary>
            <Main />
          </ErrorBoundary>
        </main>
        {layout.panelOpen ? (
          <aside
            className="window-panel"
            aria-label={t('app.region.rightpanel')}
            data-place={layout.panel}
            data-region="rightpanel"
            style={{ width: `${panelPx / 10}rem` }}
          >
            <Resizer side="panel" />
            <RightPanel />
          </aside>
        ) : null}
        {/* Pressing beside a drawer closes it; the keyboard has its keys for that. */}
        {covered ? <div className="window-scrim" onPointerDown={closeDrawers} aria-hidden="true" /> : null}
      </div>
      <StatusBar />
    </>
  );
}

function skipToComposer(event: { preventDefault: () => void }) {
  event.preventDefault();
  document.querySelector<HTMLElement>('#composer')?.focus();
}

function Main() {
  const route = useUi((state) => state.route);
  const link = useCurrentLink();
  if (route.name === 'settings') {
    return (
      <Suspense fallback={<Loading />}>
        <Settings />
      </Suspense>
    );
  }
  if (route.name === 'changes') {
    return (
      <Suspense fallback={<Loading />}>
        <WorkspaceDiff />
      </Suspense>
    );
  }
  if (!link) return <Welcome />;
  return (
    <SessionProvider link={link} key={link.sessionId}>
      {route.name === 'review' ? (
        <Suspense fallback={<Loading />}>
          <Review callId={route.callId} />
        </Suspense>
      ) : (
        <ChatScreen />
      )}
    </SessionProvider>
  );
}
