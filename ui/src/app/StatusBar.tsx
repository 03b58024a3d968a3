import { AlertTriangle, Square, SquareTerminal } from 'lucide-react';
import { Button, Popover } from '@/components';
import { NetStatText } from '@/features/diff';
import { formatCost, formatCount, formatNumber, useLocale, useT } from '@/i18n';
import { useApp, useCurrent, useCurrentLink, useRun, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { useConnection } from './useConnection';

/** Shares of the window from which the meter warns. */
const CONTEXT_HIGH = 0.85;
const CONTEXT_FULL = 0.95;

/** Connection, context, tokens, cost, whose lines, shells, who waits. */
export function StatusBar() {
  const t = useT();
  return (
    <footer
      className="statusbar"
      data-testid={tid('statusbar')}
      data-region="statusbar"
      tabIndex={-1}
      aria-label={t('app.region.statusbar')}
    >
      <Connection />
      <span className="statusbar-middle">
        <ContextMeter />
        <UsageText />
        <SessionLines />
      </span>
      <ShellsCount />
      <WaitingCount />
    </footer>
  );
}

function Connection() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const link = useCurrentLink();
  const { text, state, seconds } = useConnection();
  return (
    <span
      className="status-item"
      data-testid={tid('status-connection')}
      data-state={state}
      data-value={seconds ?? ''}
    >
      <span className="status-dot" aria-hidden="true" />
      <span className="numbers">{text}</span>
      {state === 'silent' && link ? (
        <Button
          testId="status-stop"
          look="link"
          size="small"
          icon={<Square className="icon-small" aria-hidden="true" />}
          onClick={() => run(workbench.command('cancel', link.sessionId))}
        >
          {t('composer.stop')}
        </Button>
      ) : null}
    </span>
  );
}

function ContextMeter() {
  const t = useT();
  const locale = useLocale();
  const meters = useCurrent((session) => session.meters, null);
  if (!meters || meters.context_used === 0) return null;
  const { context_used: used, context_window: size, context_auto: auto } = meters;
  const share = size ? used / size : null;
  const label =
    share === null
      ? t('status.context.unknown', formatCount(used))
      : t('status.context', Math.round(share * 100), formatCount(used), formatCount(size ?? 0));
  const trigger = (
    <Button testId="status-context" look="quiet" size="small" data-value={used}>
      <span className="numbers">{label}</span>
      {share === null ? null : (
        <span
          className="meter"
          data-level={share >= CONTEXT_FULL ? 'full' : share >= CONTEXT_HIGH ? 'high' : 'normal'}
          aria-hidden="true"
        >
          <span className="meter-fill" style={{ width: `${Math.min(100, share * 100)}%` }} />
        </span>
      )}
    </Button>
  );
  return (
    <Popover trigger={trigger} title={t('status.context.title')}>
      <p className="facts-title">{t('status.context.title')}</p>
      <dl className="facts">
        <dt>{t('status.context.used')}</dt>
        <dd>{formatNumber(locale, used)}</dd>
        {size === null ? null : (
          <>
            <dt>{t('status.context.window')}</dt>
            <dd>{formatNumber(locale, size)}</dd>
          </>
        )}
        {auto === null ? null : (
          <>
            <dt>{t('status.context.auto')}</dt>
            <dd>{formatNumber(locale, auto)}</dd>
          </>
        )}
      </dl>
    </Popover>
  );
}

function UsageText() {
  const t = useT();
  const meters = useCurrent((session) => session.meters, null);
  if (!meters || meters.tok_in + meters.tok_out === 0) return null;
  const cached = meters.tok_in > 0 ? Math.round((meters.tok_cache_read / meters.tok_in) * 100) : 0;
  return (
    <>
      <span
        className="status-item numbers"
        data-testid={tid('status-usage')}
        data-value={meters.tok_in + meters.tok_out}
      >
        {t('status.usage', formatCount(meters.tok_in), formatCount(meters.tok_out))}
        {cached > 0 ? ` · ${t('status.usage.cache', cached)}` : ''}
      </span>
      {meters.cost_micros === null ? null : (
        <span
          className="status-item numbers"
          data-testid={tid('status-cost')}
          data-value={meters.cost_micros}
        >
          {formatCost(meters.cost_micros)}
        </span>
      )}
    </>
  );
}

function SessionLines() {
  const t = useT();
  const net = useCurrent((session) => session.summary.net, null);
  if (!net || net.ai_added + net.ai_removed + net.human_added + net.human_removed === 0) return null;
  return (
    <span className="status-item" data-testid={tid('diffstat-session')}>
      <span className="status-label">{t('stat.session')}</span>
      <NetStatText net={net} showHuman={net.human_added + net.human_removed > 0} />
    </span>
  );
}

function ShellsCount() {
  const t = useT();
  const { ui } = useWorkbench();
  const running = useCurrent(
    (session) => Object.values(session.shells).filter((shell) => shell.state === 'running').length,
    0,
  );
  if (running === 0) return null;
  return (
    <Button
      testId="status-shells"
      look="quiet"
      size="small"
      data-value={running}
      icon={<SquareTerminal className="icon-small" aria-hidden="true" />}
      onClick={() => {
        ui.setState({ panelOpen: true, panelTab: 'shells' });
      }}
    >
      {t('status.shells', running)}
    </Button>
  );
}

function WaitingCount() {
  const t = useT();
  const workbench = useWorkbench();
  const route = useUi((state) => state.route.name);
  const waiting = useApp((state) => state.list.sessions.filter((row) => row.state === 'waiting').length);
  const first = useApp((state) => state.list.sessions.find((row) => row.state === 'waiting')?.session_id);
  if (waiting === 0 || first === undefined) return null;
  return (
    <Button
      testId="status-waiting"
      look="quiet"
      size="small"
      data-value={waiting}
      data-route={route}
      icon={<AlertTriangle className="icon-small" aria-hidden="true" />}
      onClick={() => {
        workbench.openSession(first);
      }}
    >
      {t('status.questions', waiting)}
    </Button>
  );
}
