import { CircleCheck, CircleDot, CircleSlash, CircleX, Clock, OctagonX, Square } from 'lucide-react';
import type { ShellInfo, ShellState } from '@/bindings';
import { Button, Empty } from '@/components';
import { formatClock, useT } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { useSession, useStopShell } from '@/state';
import { tid } from '@/testids';
import './shells.css';

const NONE: Readonly<Record<string, ShellInfo>> = {};

/** The commands of this session: running ones first, then the ended ones, newest first. */
export function ShellsPanel() {
  const t = useT();
  const shells = useSession((session) => session.shells, NONE);
  const rows = Object.values(shells).sort(byState);
  return (
    <div data-testid={tid('shells-panel')} data-count={rows.length}>
      {rows.length === 0 ? (
        <Empty title={t('shells.empty')} />
      ) : (
        <ul className="shells">
          {rows.map((shell) => (
            <ShellRow key={shell.shell_id} shell={shell} />
          ))}
        </ul>
      )}
    </div>
  );
}

function byState(a: ShellInfo, b: ShellInfo): number {
  const running = Number(b.state === 'running') - Number(a.state === 'running');
  return running || (b.ended_at ?? b.started_at) - (a.ended_at ?? a.started_at);
}

function ShellRow({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const running = shell.state === 'running';
  const now = useNow(running ? 1_000 : null);
  const time = formatClock((shell.ended_at ?? now) - shell.started_at);
  return (
    <li
      className="shell-row"
      data-testid={tid('shell-row')}
      data-key={shell.shell_id}
      data-state={shell.state}
      data-value={shell.exit_code ?? ''}
      data-waiting={shell.waiting}
    >
      <ShellIcon state={shell.state} />
      <div className="shell-text">
        <code className="shell-command selectable" data-testid={tid('shell-command')}>
          {shell.command}
        </code>
        <p className="shell-facts numbers">
          <span data-testid={tid('shell-state')}>{t(`shells.state.${shell.state}`)}</span>
          {shell.exit_code === null ? null : <span>{t('shells.exit', shell.exit_code)}</span>}
          <span>{time}</span>
          {running && shell.pid !== null ? <span>{t('pty.pid', shell.pid)}</span> : null}
          {running && shell.waiting ? <span className="shell-waiting">{t('pty.waiting')}</span> : null}
        </p>
        {running ? <ShellEnds shell={shell} /> : null}
      </div>
    </li>
  );
}

function ShellEnds({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const stop = useStopShell(shell);
  return (
    <div className="shell-ends">
      <Button
        testId="shell-stop"
        size="small"
        look="danger"
        data-state={stop.again ? 'again' : 'first'}
        icon={<Square className="icon-small" aria-hidden="true" />}
        onClick={stop.interrupt}
      >
        {stop.again ? t('pty.stop.again') : t('pty.stop')}
      </Button>
      <Button
        testId="shell-kill"
        size="small"
        look="danger"
        icon={<OctagonX className="icon-small" aria-hidden="true" />}
        onClick={stop.kill}
      >
        {t('pty.kill')}
      </Button>
    </div>
  );
}

function ShellIcon({ state }: { state: ShellState }) {
  const props = { className: 'icon-small shell-icon', 'data-state': state, 'aria-hidden': true } as const;
  switch (state) {
    case 'running':
      return <CircleDot {...props} />;
    case 'completed':
      return <CircleCheck {...props} />;
    case 'failed':
      return <CircleX {...props} />;
    case 'timed_out':
      return <Clock {...props} />;
    case 'cancelled':
    case 'lost':
      return <CircleSlash {...props} />;
  }
}
