import {
  ArrowDown,
  ArrowDownToLine,
  Eye,
  EyeOff,
  Keyboard,
  KeyboardOff,
  OctagonX,
  Square,
} from 'lucide-react';
import { useRef } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useErrorText, useRun, useStopShell, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { PasteQuestion } from './PasteQuestion';
import { PtyFacts } from './PtyFacts';
import { useScreen } from './useScreen';
import '@xterm/xterm/css/xterm.css';
import './pty.css';

/** The live terminal of a shell: to watch, to type into, to stop. */
export default function PtyView({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const run = useRun();
  const errorText = useErrorText();
  const workbench = useWorkbench();
  const box = useRef<HTMLDivElement>(null);
  const view = useScreen(box, shell);
  const stop = useStopShell(shell);
  const owned = shell.input_owner === 'human';
  const running = shell.state === 'running';
  const own = (owner: 'human' | 'none') =>
    run(workbench.backend.call('own_terminal', { shell_id: shell.shell_id, owner }));
  return (
    <div
      className="pty"
      data-testid={tid('pty-view')}
      data-key={shell.shell_id}
      data-state={running ? 'live' : 'ended'}
      data-kind="dom"
      data-owned={owned}
    >
      <div
        className="pty-screen"
        ref={box}
        role="group"
        aria-label={t('pty.view', shell.command)}
        data-takes-keys={owned}
      />
      {view.away ? (
        <div className="pty-to-end">
          <Button
            testId="pty-to-end"
            size="small"
            icon={<ArrowDown className="icon-small" aria-hidden="true" />}
            onClick={view.toEnd}
          >
            {t('chat.toend')}
          </Button>
        </div>
      ) : null}
      <InputBanner shell={shell} hidden={view.keysHidden} />
      {view.pasted === null ? null : <PasteQuestion text={view.pasted} onAnswer={view.answerPaste} />}
      {view.error ? (
        <p className="tool-error" role="alert">
          {t('pty.error')}: {errorText(view.error)}
        </p>
      ) : null}
      <div className="pty-bar">
        {owned ? (
          <Button
            testId="pty-give-back"
            size="small"
            icon={<KeyboardOff className="icon-small" aria-hidden="true" />}
            onClick={() => own('none')}
          >
            {t('pty.give')}
          </Button>
        ) : (
          <Button
            testId="pty-take-input"
            size="small"
            disabled={!running}
            icon={<Keyboard className="icon-small" aria-hidden="true" />}
            onClick={() => own('human')}
          >
            {t('pty.take')}
          </Button>
        )}
        {owned ? (
          <Button
            testId="pty-hide-keys"
            size="small"
            aria-pressed={view.keysHidden}
            data-state={view.keysHidden ? 'on' : 'off'}
            icon={
              view.keysHidden ? (
                <EyeOff className="icon-small" aria-hidden="true" />
              ) : (
                <Eye className="icon-small" aria-hidden="true" />
              )
            }
            onClick={view.toggleKeys}
          >
            {view.keysHidden ? t('pty.show') : t('pty.hide')}
          </Button>
        ) : null}
        {running && !shell.background ? (
          <Button
            testId="pty-promote"
            size="small"
            icon={<ArrowDownToLine className="icon-small" aria-hidden="true" />}
            onClick={() => run(workbench.backend.call('promote_terminal', { shell_id: shell.shell_id }))}
          >
            {t('pty.promote')}
          </Button>
        ) : null}
        <Button
          testId="pty-stop"
          size="small"
          look="danger"
          disabled={!running}
          data-state={stop.again ? 'again' : 'first'}
          icon={<Square className="icon-small" aria-hidden="true" />}
          onClick={stop.interrupt}
        >
          {stop.again ? t('pty.stop.again') : t('pty.stop')}
        </Button>
        <Button
          testId="pty-kill"
          size="small"
          look="danger"
          disabled={!running}
          icon={<OctagonX className="icon-small" aria-hidden="true" />}
          onClick={stop.kill}
        >
          {t('pty.kill')}
        </Button>
        <PtyFacts shell={shell} size={view.size} />
      </div>
    </div>
  );
}

function InputBanner({ shell, hidden }: { shell: ShellInfo; hidden: boolean }) {
  const t = useT();
  const owned = shell.input_owner === 'human';
  const parts = [owned ? t('pty.owner.human') : t('pty.owner.none')];
  if (owned && hidden) parts.push(t('pty.hidden.note'));
  else if (shell.echo_off) parts.push(t('pty.echo'));
  if (shell.waiting && !owned) parts.push(t('pty.waiting'));
  return (
    <p
      className="pty-banner"
      data-testid={tid('pty-input-banner')}
      data-owner={shell.input_owner}
      data-waiting={shell.waiting}
      data-echo-off={shell.echo_off}
      role="status"
    >
      {parts.join(' · ')}
    </p>
  );
}
