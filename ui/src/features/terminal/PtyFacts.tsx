import type { ShellInfo } from '@/bindings';
import { formatClock, formatDuration, useT } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { tid } from '@/testids';

/** From this share of the time limit on, the rest is counted down. */
const COUNTDOWN_FROM = 0.8;

/** Time, process and size of a running shell. */
export function PtyFacts({ shell, size }: { shell: ShellInfo; size: { cols: number; rows: number } | null }) {
  const t = useT();
  const running = shell.state === 'running';
  const now = useNow(running ? 1_000 : null);
  const passed = (shell.ended_at ?? now) - shell.started_at;
  const limit = shell.timeout_ms;
  const left = limit === null ? null : limit - passed;
  return (
    <span className="pty-facts numbers">
      {left !== null && limit !== null && running && passed >= limit * COUNTDOWN_FROM ? (
        <span className="pty-timeout">{t('pty.timeout', formatDuration(Math.max(0, left)))}</span>
      ) : null}
      <span>{formatClock(passed)}</span>
      {shell.pid === null ? null : <span>{t('pty.pid', shell.pid)}</span>}
      {size === null ? null : (
        <span data-testid={tid('pty-size')} data-value={`${size.cols}x${size.rows}`}>
          {t('pty.size', size.cols, size.rows)}
        </span>
      )}
    </span>
  );
}
