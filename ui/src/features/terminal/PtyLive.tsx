import { ArrowDown, History } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button } from '@/components';
import { formatNumber, useLocale, useT } from '@/i18n';
import { useErrorText } from '@/state';
import { tid } from '@/testids';
import { PasteQuestion } from './PasteQuestion';
import { PtyBanner } from './PtyBanner';
import { PtyBar } from './PtyBar';
import { claimScreen } from './slots';
import { useScreen } from './useScreen';
import '@xterm/xterm/css/xterm.css';

interface Props {
  shell: ShellInfo;
  place: 'card' | 'panel';
  onMode: (mode: 'log' | 'find' | 'away') => void;
}

/** The live terminal of a shell: to watch, to type into, to stop. */
export function PtyLive({ shell, place, onMode }: Props) {
  const t = useT();
  const locale = useLocale();
  const errorText = useErrorText();
  const box = useRef<HTMLDivElement>(null);
  const view = useScreen(box, shell);
  const owned = shell.input_owner === 'human';
  const running = shell.state === 'running';
  useEffect(
    () =>
      claimScreen({
        shellId: shell.shell_id,
        revoke: () => {
          onMode('away');
        },
      }),
    [shell.shell_id, onMode],
  );
  return (
    <div
      className="pty"
      data-testid={tid('pty-view')}
      data-key={shell.shell_id}
      data-state={running ? 'live' : 'ended'}
      data-kind="dom"
      data-place={place}
      data-owned={owned}
    >
      {view.earlier ? (
        <Button
          testId="shell-load-earlier"
          size="small"
          look="link"
          icon={<History className="icon-small" aria-hidden="true" />}
          onClick={() => {
            onMode('log');
          }}
        >
          {t('pty.earlier')}
        </Button>
      ) : null}
      <div
        className="pty-screen"
        ref={box}
        role="group"
        aria-label={t('pty.view', shell.command)}
        data-takes-keys={owned}
      />
      {view.fast === null ? null : (
        <p className="pty-fast numbers" data-testid={tid('pty-fast')} data-value={view.fast}>
          {t('pty.fast', formatNumber(locale, view.fast))}
        </p>
      )}
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
      <PtyBanner shell={shell} hidden={view.keysHidden} />
      {view.pasted === null ? null : <PasteQuestion text={view.pasted} onAnswer={view.answerPaste} />}
      {view.error ? (
        <p className="tool-error" role="alert">
          {t('pty.error')}: {errorText(view.error)}
        </p>
      ) : null}
      <PtyBar
        shell={shell}
        view={view}
        onFind={() => {
          onMode('find');
        }}
      />
    </div>
  );
}
