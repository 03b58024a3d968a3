import { Ellipsis, OctagonX, RotateCcw, Square } from 'lucide-react';
import type { ShellInfo } from '@/bindings';
import { Button, IconButton, Menu, MenuItem } from '@/components';
import { useT } from '@/i18n';
import { useLink, useRun, useStopShell, useWorkbench } from '@/state';
import { runAgain } from './runAgain';

/** What can be done with a command: end it while it runs, run it again afterwards, and the rest in a menu. */
export function ShellActions({ shell }: { shell: ShellInfo }) {
  const t = useT();
  return (
    <div className="shell-actions">
      {shell.state === 'running' ? <Ends shell={shell} /> : <Again shell={shell} />}
      <Menu
        trigger={
          <IconButton
            testId="shell-menu"
            label={t('shells.menu')}
            data-size="small"
            icon={<Ellipsis className="icon-small" aria-hidden="true" />}
          />
        }
      >
        <MoreItems shell={shell} />
      </Menu>
    </div>
  );
}

function Ends({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const stop = useStopShell(shell);
  return (
    <>
      <Button
        testId="shell-stop"
        size="small"
        look="danger"
        data-state={stop.again ? 'again' : 'first'}
        icon={<Square className="icon-small" aria-hidden="true" />}
        onClick={stop.stop}
      >
        {stop.again ? t('pty.stop.again') : t('pty.stop')}
      </Button>
      <Button
        testId="shell-kill"
        size="small"
        look="danger"
        title={t('shells.kill.hint', shell.children + 1)}
        icon={<OctagonX className="icon-small" aria-hidden="true" />}
        onClick={stop.kill}
      >
        {t('pty.kill')}
      </Button>
    </>
  );
}

function Again({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const { sessionId } = useLink();
  return (
    <Button
      testId="shell-again"
      size="small"
      title={t('shells.again.hint')}
      icon={<RotateCcw className="icon-small" aria-hidden="true" />}
      onClick={() => run(runAgain(backend, sessionId, shell))}
    >
      {t('shells.again')}
    </Button>
  );
}

function MoreItems({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const run = useRun();
  const { backend, openShell, toasts } = useWorkbench();
  const { sessionId } = useLink();
  const copy = async () => {
    await navigator.clipboard.writeText(shell.command);
    toasts.show({ kind: 'success', text: t('shells.copied') });
  };
  return (
    <>
      <MenuItem
        testId="shell-menu-open"
        label={t('shells.open')}
        onSelect={() => {
          openShell(shell);
        }}
      />
      <MenuItem testId="shell-copy" label={t('shells.copy')} onSelect={() => void run(copy())} />
      {shell.state === 'running' ? (
        <MenuItem
          testId="shell-menu-again"
          label={t('shells.again.more')}
          note={t('shells.again.note')}
          onSelect={() => void run(runAgain(backend, sessionId, shell))}
        />
      ) : null}
    </>
  );
}
