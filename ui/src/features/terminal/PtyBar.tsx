import { ArrowDownToLine, Eye, EyeOff, Keyboard, KeyboardOff, OctagonX, Search, Square } from 'lucide-react';
import type { ShellInfo } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useRun, useStopShell, useWorkbench } from '@/state';
import { PtyFacts } from './PtyFacts';
import type { ScreenView } from './useScreen';

interface Props {
  shell: ShellInfo;
  view: ScreenView;
  onFind: () => void;
}

/** What can be done with a command that runs: type into it, send it away, search it, end it. */
export function PtyBar({ shell, view, onFind }: Props) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const stop = useStopShell(shell);
  const running = shell.state === 'running';
  return (
    <div className="pty-bar">
      <InputButtons shell={shell} view={view} />
      {running && !shell.background ? (
        <Button
          testId="pty-promote"
          size="small"
          icon={<ArrowDownToLine className="icon-small" aria-hidden="true" />}
          onClick={() => run(backend.call('promote_terminal', { shell_id: shell.shell_id }))}
        >
          {t('pty.promote')}
        </Button>
      ) : null}
      <Button
        testId="pty-find"
        size="small"
        icon={<Search className="icon-small" aria-hidden="true" />}
        onClick={onFind}
      >
        {t('find.open')}
      </Button>
      <Button
        testId="pty-stop"
        size="small"
        look="danger"
        disabled={!running}
        data-state={stop.again ? 'again' : 'first'}
        icon={<Square className="icon-small" aria-hidden="true" />}
        onClick={stop.stop}
      >
        {stop.again ? t('pty.stop.again') : t('pty.stop')}
      </Button>
      <Button
        testId="pty-kill"
        size="small"
        look="danger"
        disabled={!running}
        title={t('shells.kill.hint', shell.children + 1)}
        icon={<OctagonX className="icon-small" aria-hidden="true" />}
        onClick={stop.kill}
      >
        {t('pty.kill')}
      </Button>
      <PtyFacts shell={shell} size={view.size} />
    </div>
  );
}

function InputButtons({ shell, view }: { shell: ShellInfo; view: ScreenView }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const own = (owner: 'human' | 'none') =>
    run(backend.call('own_terminal', { shell_id: shell.shell_id, owner }));
  if (shell.input_owner !== 'human') {
    return (
      <Button
        testId="pty-take-input"
        size="small"
        look={shell.waiting ? 'primary' : 'normal'}
        disabled={shell.state !== 'running'}
        icon={<Keyboard className="icon-small" aria-hidden="true" />}
        onClick={() => own('human')}
      >
        {t('pty.take')}
      </Button>
    );
  }
  const Hidden = view.keysHidden ? EyeOff : Eye;
  return (
    <>
      <Button
        testId="pty-give-back"
        size="small"
        icon={<KeyboardOff className="icon-small" aria-hidden="true" />}
        onClick={() => own('none')}
      >
        {t('pty.give')}
      </Button>
      <Button
        testId="pty-hide-keys"
        size="small"
        aria-pressed={view.keysHidden}
        data-state={view.keysHidden ? 'on' : 'off'}
        icon={<Hidden className="icon-small" aria-hidden="true" />}
        onClick={view.toggleKeys}
      >
        {view.keysHidden ? t('pty.show') : t('pty.hide')}
      </Button>
    </>
  );
}
