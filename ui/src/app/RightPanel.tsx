import { Tabs } from '@base-ui/react/tabs';
import { AuthorshipPanel } from '@/features/changes';
import { ShellsPanel } from '@/features/shells';
import { TodoPanel } from '@/features/todos';
import { useT } from '@/i18n';
import { SessionProvider, useCurrent, useCurrentLink, useUi, useWorkbench, type PanelTab } from '@/state';
import { tid } from '@/testids';

/** Todos, shells and changes of the session on screen. */
export function RightPanel() {
  const t = useT();
  const { ui } = useWorkbench();
  const tab = useUi((state) => state.panelTab);
  const link = useCurrentLink();
  const shells = useCurrent((session) => Object.keys(session.shells).length, 0);
  return (
    <div className="panel-tabs-root" data-testid={tid('rightpanel')} data-state="open">
      <Tabs.Root
        className="panel-tabs-root"
        value={tab}
        onValueChange={(next: PanelTab) => {
          ui.setState({ panelTab: next });
        }}
      >
        <Tabs.List className="panel-tabs">
          <Tabs.Tab value="todos" className="panel-tab" data-testid={tid('rightpanel-tab-todos')}>
            {t('todos.title')}
          </Tabs.Tab>
          <Tabs.Tab value="shells" className="panel-tab" data-testid={tid('rightpanel-tab-shells')}>
            {t('shells.title')} {shells > 0 ? <span className="numbers">{shells}</span> : null}
          </Tabs.Tab>
          <Tabs.Tab value="changes" className="panel-tab" data-testid={tid('rightpanel-tab-changes')}>
            {t('authors.tab')}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="todos" className="panel-body">
          {link ? (
            <SessionProvider link={link}>
              <TodoPanel />
            </SessionProvider>
          ) : null}
        </Tabs.Panel>
        <Tabs.Panel value="shells" className="panel-body">
          {link ? (
            <SessionProvider link={link}>
              <ShellsPanel />
            </SessionProvider>
          ) : null}
        </Tabs.Panel>
        <Tabs.Panel value="changes" className="panel-body">
          {link ? (
            <SessionProvider link={link} key={link.sessionId}>
              <AuthorshipPanel />
            </SessionProvider>
          ) : null}
        </Tabs.Panel>
      </Tabs.Root>
    </div>
  );
}
