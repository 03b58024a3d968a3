import type { ShellInfo } from '@/bindings';
import { formatClock, formatDuration, useT } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { useApp } from '@/state';
import { tid } from '@/testids';
import { Leftovers } from './Leftovers';

/** A running process that printed nothing for this long is said to be alive, so that nobody starts a second one. */
const QUIET_AFTER_MS = 30_000;

/** State in words, time, process, folder: what a person wants to know of a command without opening it. */
export function ShellFacts({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const running = shell.state === 'running';
  const now = useNow(running ? 1_000 : null);
  const root = useApp((state) => state.workspace?.path ?? '');
  const time = formatClock((shell.ended_at ?? now) - shell.started_at);
  const quiet = running && shell.last_output_at !== null ? now - shell.last_output_at : 0;
  return (
    <>
      <p className="shell-facts numbers">
        <span data-testid={tid('shell-state')} data-state={shell.state}>
          {t(`shells.state.${shell.state}`)}
        </span>
        {shell.exit_code === null ? null : <span>{t('shells.exit', shell.exit_code)}</span>}
        {shell.signal === null ? null : <span>{t('shells.signal', shell.signal)}</span>}
        <span>{time}</span>
        {running && shell.pid !== null ? <span>{t('pty.pid', shell.pid)}</span> : null}
        {running && shell.children > 0 ? (
          <span data-testid={tid('shell-children')} data-count={shell.children}>
            {t('shells.children', shell.children)}
          </span>
        ) : null}
        {shell.cwd === root ? null : (
          <span className="shell-cwd" title={shell.cwd}>
            {inside(shell.cwd, root)}
          </span>
        )}
      </p>
      {running && shell.waiting ? <p className="shell-note shell-waiting">{t('pty.waiting')}</p> : null}
      {quiet >= QUIET_AFTER_MS && !shell.waiting ? (
        <p className="shell-note" data-testid={tid('shell-quiet')}>
          {t('shells.quiet', formatDuration(quiet))}
        </p>
      ) : null}
      {!running && shell.leftovers > 0 ? <Leftovers shell={shell} /> : null}
    </>
  );
}

/** A folder as seen from the project. */
function inside(cwd: string, root: string): string {
  return root !== '' && cwd.startsWith(`${root}/`) ? `./${cwd.slice(root.length + 1)}` : cwd;
}
