import { ChevronDown, FolderOpen } from 'lucide-react';
import { Button, Menu, MenuHeading, MenuItem } from '@/components';
import { useT } from '@/i18n';
import { useApp, useRun, useWorkbench } from '@/state';

/** As many folders as fit a menu that is read, not searched. */
const MAX_RECENT = 8;

/** The open folder with its branch; opens another one. */
export function ProjectMenu() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const workspace = useApp((state) => state.workspace);
  const recent = useApp((state) => state.settings?.recent_workspaces);
  const others = (recent ?? []).filter((path) => path !== workspace?.path).slice(0, MAX_RECENT);
  const trigger = (
    <Button
      testId="app-project"
      look="quiet"
      size="small"
      title={workspace?.path ?? t('app.project.open')}
      data-value={workspace?.path ?? ''}
    >
      <span className="truncate titlebar-choice">
        {workspace?.name ?? t('app.project.none')}
        {workspace?.branch == null ? null : <span className="muted"> · {workspace.branch}</span>}
      </span>
      <ChevronDown className="icon-small" aria-hidden="true" />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem
        testId="app-project-open"
        label={t('app.project.choose')}
        note={<FolderOpen className="icon-small" aria-hidden="true" />}
        onSelect={() => {
          void run(workbench.chooseWorkspace());
        }}
      />
      <MenuItem
        testId="app-project-demo"
        label={t('app.project.demo')}
        onSelect={() => {
          void run(workbench.openDemoWorkspace());
        }}
      />
      {others.length > 0 ? <MenuHeading>{t('app.project.recent')}</MenuHeading> : null}
      {others.map((path) => (
        <MenuItem
          key={path}
          testId="app-project-recent"
          data={{ 'data-key': path }}
          label={path}
          onSelect={() => {
            void run(workbench.openWorkspace(path));
          }}
        />
      ))}
    </Menu>
  );
}
