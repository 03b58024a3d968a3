import type { Phase } from '@/bindings';
import { useT, type PlainKey } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { useCurrent, useCurrentStatus, type PhaseState } from '@/state';

/** A server that has been silent this long is shown with the seconds and Stop beside them. */
const SILENT_AFTER_MS = 10_000;

/** What the status bar says about the session. */
export interface Connection {
  state: 'none' | 'ready' | 'busy' | 'asking' | 'silent';
  text: string;
  /** Seconds since the last byte, while a request is open. */
  seconds: number | null;
}

const PHASE_TEXT: Readonly<Record<Phase, PlainKey>> = {
  idle: 'status.ready',
  boundary: 'status.boundary',
  requesting: 'status.waiting',
  streaming: 'status.streaming',
  backoff: 'status.backoff',
  calls: 'status.calls',
  compacting: 'status.compacting',
  stopping: 'status.stopping',
};

function isRequest(phase: Phase): boolean {
  return phase === 'requesting' || phase === 'streaming';
}

/** What the session is doing, in words. */
export function useConnection(): Connection {
  const t = useT();
  const status = useCurrentStatus();
  const phase = useCurrent((session) => session.phase, null);
  const asks = useCurrent((session) => session.asks.length, 0);
  const open = phase !== null && isRequest(phase.phase);
  const now = useNow(open ? 1_000 : null);
  if (status === 'none') return { state: 'none', text: t('status.none'), seconds: null };
  if (!phase) return { state: 'none', text: t('status.loading'), seconds: null };
  const silentMs = open ? silence(phase, now) : null;
  const seconds = silentMs === null ? null : Math.floor(silentMs / 1_000);
  if (silentMs !== null && silentMs >= SILENT_AFTER_MS) {
    return { state: 'silent', text: t('status.silent', seconds ?? 0), seconds };
  }
  if (asks > 0 && phase.phase === 'calls')
    return { state: 'asking', text: t('status.asking'), seconds: null };
  const state = phase.phase === 'idle' ? 'ready' : 'busy';
  return { state, text: t(PHASE_TEXT[phase.phase]), seconds };
}

function silence(phase: PhaseState, now: number): number | null {
  const since = phase.lastByteAt ?? phase.since;
  return since === null ? null : Math.max(0, now - since);
}
