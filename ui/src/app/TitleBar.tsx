import { CircleHelp, ListTodo, PanelLeft, PanelRight, Settings } from 'lucide-react';
import { Button, IconButton } from '@/components';
import { useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { useApp, useCurrent, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { ModelMenu } from './ModelMenu';
import { ProjectMenu } from './ProjectMenu';
import type { Layout } from './useLayout';

/** Project, branch, mode, model, settings, help. */
export function TitleBar({ layout }: { layout: Layout }) {
  const t = useT();
  const { ui } = useWorkbench();
  const inSettings = useUi((state) => state.route.name === 'settings');
  return (
    <header className="titlebar" data-testid={tid('app-titlebar')} data-region="titlebar">
      <IconButton
        testId="app-sidebar-toggle"
        label={`${t('app.sidebar.toggle')} (${keyLabel('sidebar')})`}
        aria-pressed={layout.sidebarOpen}
        icon={<PanelLeft className="icon" aria-hidden="true" />}
        onClick={() => {
          ui.setState({ sidebarOpen: !layout.sidebarOpen });
        }}
      />
      <span className="titlebar-name">{t('app.name')}</span>
      <ProjectMenu />
      <span className="titlebar-space" />
      <ModeText />
      <ModelMenu />
      {layout.panel === 'drawer' ? <DrawerTabs layout={layout} /> : null}
      <IconButton
        testId="app-panel-toggle"
        label={`${t('app.panel.toggle')} (${keyLabel('rightPanel')})`}
        aria-pressed={layout.panelOpen}
        icon={<PanelRight className="icon" aria-hidden="true" />}
        onClick={() => {
          ui.setState({ panelOpen: !layout.panelOpen });
        }}
      />
      <IconButton
        testId="app-settings"
        label={`${t('app.settings')} (${keyLabel('settings')})`}
        aria-pressed={inSettings}
        icon={<Settings className="icon" aria-hidden="true" />}
        onClick={() => {
          ui.setState({ route: { name: inSettings ? 'chat' : 'settings' } });
        }}
      />
      <IconButton
        testId="app-help"
        label={`${t('app.help')} (${keyLabel('help')})`}
        icon={<CircleHelp className="icon" aria-hidden="true" />}
        onClick={() => {
          ui.setState({ helpOpen: true });
        }}
      />
    </header>
  );
}

/** In this version every session asks before changes. */
function ModeText() {
  const t = useT();
  const mode = useCurrent((session) => session.mode, 'default');
  return (
    <span className="titlebar-mode" data-testid={tid('app-mode')} data-value={mode}>
      <span className="visually-hidden">{t('mode.label', t(`mode.${mode}`))}</span>
      <span aria-hidden="true">{t(`mode.${mode}`)}</span>
    </span>
  );
}

/** While the side panel is a drawer, its tabs are reached from here. */
function DrawerTabs({ layout }: { layout: Layout }) {
  const t = useT();
  const { ui } = useWorkbench();
  const progress = useCurrent(
    (session) =>
      `${session.todos.filter((todo) => todo.status === 'completed').length}/${session.todos.length}`,
    '0/0',
  );
  const hasTodos = useCurrent((session) => session.todos.length > 0, false);
  const hasInfo = useApp((state) => state.info !== null);
  if (!hasInfo || !hasTodos || layout.panelOpen) return null;
  return (
    <Button
      testId="app-todos"
      look="quiet"
      size="small"
      icon={<ListTodo className="icon-small" aria-hidden="true" />}
      aria-label={`${t('todos.title')} ${progress}`}
      onClick={() => {
        ui.setState({ panelOpen: true, panelTab: 'todos' });
      }}
    >
      <span className="numbers">{progress}</span>
    </Button>
  );
}
