import type { ShellInfo } from '@/bindings';
import { VisibleText } from '@/components';
import { useT } from '@/i18n';
import { useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { ShellActions } from './ShellActions';
import { ShellFacts } from './ShellFacts';
import { ShellIcon } from './ShellIcon';

/** One command of the list. Its text opens it, and is shown whole while the pointer or the focus is on it. */
export function ShellRow({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const { openShell } = useWorkbench();
  const seen = useUi((state) => state.shellsSeen[shell.shell_id] ?? 0);
  const fresh = shell.bytes > seen;
  return (
    <li
      className="shell-row"
      data-testid={tid('shell-row')}
      data-key={shell.shell_id}
      data-state={shell.state}
      data-value={shell.exit_code ?? ''}
      data-waiting={shell.waiting}
      data-pid={shell.pid ?? ''}
    >
      <ShellIcon state={shell.state} />
      <div className="shell-text">
        <button
          type="button"
          className="shell-open"
          data-testid={tid('shell-open')}
          title={shell.command}
          onClick={() => {
            openShell(shell);
          }}
        >
          <code className="shell-command" data-testid={tid('shell-command')}>
            <VisibleText text={shell.command} />
          </code>
          {fresh ? (
            <span className="shell-fresh" data-testid={tid('shell-unread')}>
              {t('shells.fresh')}
            </span>
          ) : null}
        </button>
        <ShellFacts shell={shell} />
        <ShellActions shell={shell} />
      </div>
    </li>
  );
}
