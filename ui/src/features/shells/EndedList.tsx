import type { ShellInfo } from '@/bindings';
import { VisibleText } from '@/components';
import { formatClock, useT } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { useApp } from '@/state';
import { tid, type TestId } from '@/testids';
import { leftNames } from './leftNames';

/** The commands that a dialog would end: what, whose, since when. */
export function EndedList({ shells, testId }: { shells: readonly ShellInfo[]; testId: TestId }) {
  const t = useT();
  const now = useNow(1_000);
  const sessions = useApp((state) => state.list.sessions);
  const titleOf = (shell: ShellInfo) => {
    const title = sessions.find((row) => row.session_id === shell.session_id)?.title ?? '';
    return title === '' ? t('session.untitled') : title;
  };
  return (
    <ul className="ended-list" data-testid={testId} data-count={shells.length}>
      {shells.map((shell) => (
        <li
          key={shell.shell_id}
          className="ended-row"
          data-testid={tid('ended-row')}
          data-key={shell.shell_id}
        >
          <code className="ended-command selectable">
            <VisibleText text={shell.command} />
          </code>
          <span className="shell-facts numbers">
            <span className="ended-session">{titleOf(shell)}</span>
            <span>{formatClock(now - shell.started_at)}</span>
            <What shell={shell} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Which process ends; of a command that ended, what it left. */
function What({ shell }: { shell: ShellInfo }) {
  const t = useT();
  if (shell.state !== 'running') {
    const { names, more } = leftNames(shell);
    return <span>{t('shells.leftovers', names, more)}</span>;
  }
  return shell.pid === null ? null : <span>{t('pty.pid', shell.pid)}</span>;
}
