import { ArrowDown, Eye, EyeOff, Keyboard, KeyboardOff, OctagonX, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { ShellInfo } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { provide } from '@/lib/probes';
import { useErrorText, useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { PasteQuestion } from './PasteQuestion';
import { PtyFacts } from './PtyFacts';
import { Screen } from './screen';
import { useStopShell } from './useStopShell';
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
  const own = (owner: 'human' | 'none') => {
    run(workbench.backend.call('own_terminal', { shell_id: shell.shell_id, owner }));
  };
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
            onClick={() => {
              own('none');
            }}
          >
            {t('pty.give')}
          </Button>
        ) : (
          <Button
            testId="pty-take-input"
            size="small"
            disabled={!running}
            icon={<Keyboard className="icon-small" aria-hidden="true" />}
            onClick={() => {
              own('human');
            }}
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

interface ScreenView {
  size: { cols: number; rows: number } | null;
  away: boolean;
  toEnd: () => void;
  error: BackendError | null;
  pasted: string | null;
  answerPaste: (paste: boolean) => void;
  keysHidden: boolean;
  toggleKeys: () => void;
}

/** Pasting several lines was allowed once in this window. */
let linesMayBePasted = false;

function useScreen(box: { current: HTMLDivElement | null }, shell: ShellInfo): ScreenView {
  const { backend } = useWorkbench();
  const { shell_id: shellId } = shell;
  const screen = useRef<Screen | null>(null);
  const [size, setSize] = useState<{ cols: number; rows: number } | null>(null);
  const [away, setAway] = useState(false);
  const [error, setError] = useState<BackendError | null>(null);
  const [pasted, setPasted] = useState<string | null>(null);
  // A program that does not echo asks for something secret, most likely.
  const [hiddenByHand, setHiddenByHand] = useState<boolean | null>(null);
  const owned = shell.input_owner === 'human';

  useEffect(() => {
    const parent = box.current;
    if (!parent) return undefined;
    const fail = (thrown: unknown) => {
      setError(toBackendError(thrown));
    };
    const made = new Screen(backend, shellId, {
      onSize: (cols, rows) => {
        setSize({ cols, rows });
      },
      onAway: setAway,
      onLink: (url) => {
        backend.call('open_external', { url }).catch(fail);
      },
      onKeyWithoutOwner: (event) => {
        if (!isKey(event, 'listOpen')) return;
        event.preventDefault();
        backend.call('own_terminal', { shell_id: shellId, owner: 'human' }).catch(fail);
      },
      onPaste: (text) => {
        const asks = text.trimEnd().includes('\n') && !linesMayBePasted && !made.terminal.modes.bracketedPasteMode;
        if (asks) setPasted(text);
        else made.paste(text);
      },
      onError: fail,
    });
    screen.current = made;
    made.open(parent);
    const stopText = provide(`terminalText:${shellId}`, (from, to) => made.text(from, to));
    const stopCursor = provide(`terminalCursor:${shellId}`, () => made.cursor());
    return () => {
      stopText();
      stopCursor();
      screen.current = null;
      made.close();
    };
  }, [backend, box, shellId]);
  useEffect(() => {
    screen.current?.setOwned(owned);
  }, [owned]);
  const keysHidden = hiddenByHand ?? shell.echo_off;
  return {
    size,
    away,
    toEnd: () => screen.current?.terminal.scrollToBottom(),
    error,
    pasted,
    answerPaste: (paste) => {
      if (paste && pasted !== null) {
        linesMayBePasted = true;
        screen.current?.paste(pasted);
      }
      setPasted(null);
      screen.current?.terminal.focus();
    },
    keysHidden,
    toggleKeys: () => {
      setHiddenByHand(!keysHidden);
    },
  };
}
