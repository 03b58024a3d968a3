import { ChevronLeft } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button, Loading, Toggle, VisibleText } from '@/components';
import { formatTime, useLocale, useT } from '@/i18n';
import { useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { ShellActions } from './ShellActions';
import { ShellFacts } from './ShellFacts';
import { ShellIcon } from './ShellIcon';

const PtyView = lazy(() => import('@/features/terminal/PtyView'));
const LogView = lazy(() => import('@/features/terminal/LogView'));

/** One command with its output: the live terminal while it runs, the text to read afterwards. */
export function ShellDetail({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const locale = useLocale();
  const { ui, markShellSeen } = useWorkbench();
  const running = shell.state === 'running';
  useEffect(() => {
    markShellSeen(shell);
  }, [markShellSeen, shell]);
  return (
    <section
      className="shell-detail"
      data-testid={tid('shell-detail')}
      data-key={shell.shell_id}
      data-state={shell.state}
      data-value={shell.exit_code ?? ''}
      aria-label={t('shells.detail', shell.command)}
    >
      <header className="shell-detail-head">
        <Button
          testId="shell-back"
          size="small"
          look="quiet"
          icon={<ChevronLeft className="icon-small" aria-hidden="true" />}
          onClick={() => {
            ui.setState({ openShell: null });
          }}
        >
          {t('shells.back')}
        </Button>
        <span className="shell-facts numbers">
          {t('shells.started', formatTime(locale, shell.started_at))}
        </span>
      </header>
      <div className="shell-detail-facts">
        <ShellIcon state={shell.state} />
        <div className="shell-text">
          <pre className="shell-whole selectable" tabIndex={0} aria-label={t('shells.command')}>
            <VisibleText text={shell.command} />
          </pre>
          <ShellFacts shell={shell} />
          {running ? null : <ShellActions shell={shell} />}
        </div>
      </div>
      <div className="shell-detail-body">
        <Suspense fallback={<Loading text={t('pty.loading')} lines={1} />}>
          {running ? <PtyView shell={shell} place="panel" /> : <LogView shell={shell} />}
        </Suspense>
      </div>
      {running ? <Notify shell={shell} /> : null}
    </section>
  );
}

function Notify({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const { shell_id: id, notify_me: me, tell_agent: agent } = shell;
  const set = (notify: { notify_me: boolean; tell_agent: boolean }) =>
    void run(backend.call('notify_shell', { shell_id: id, ...notify }));
  return (
    <div className="shell-notify">
      <Toggle
        testId="shell-notify-me"
        label={t('shells.notify.me')}
        on={me}
        onToggle={() => {
          set({ notify_me: !me, tell_agent: agent });
        }}
      />
      {shell.background ? (
        <Toggle
          testId="shell-notify-agent"
          label={t('shells.notify.agent')}
          on={agent}
          onToggle={() => {
            set({ notify_me: me, tell_agent: !agent });
          }}
        />
      ) : null}
    </div>
  );
}
