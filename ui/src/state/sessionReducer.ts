import type {
  Ask,
  CallId,
  Envelope,
  Item,
  LiveKind,
  Meters,
  Mode,
  Phase,
  Queued,
  Resolution,
  SessionEvent,
  SessionSummary,
  ShellInfo,
  Snapshot,
  StoreState,
  Todo,
} from '@/bindings';

/** A block of the answer that is arriving. Its text lives in [`LiveTexts`]. */
export interface LiveHead {
  block: number;
  kind: LiveKind;
  name: string | null;
}

/** Where the open request stands. */
export interface PhaseState {
  phase: Phase;
  request: number;
  step: number;
  attempt: number;
  /** Milliseconds since 1970 of the last byte; `null` before the first. */
  lastByteAt: number | null;
  /** Milliseconds since 1970 when this phase of this request began; `null` if it began before we looked. */
  since: number | null;
}

/** The wait before another try. */
export interface RetryState {
  until: number;
  errorKind: string;
  message: string;
  attempt: number;
  of: number;
}

/** A question that closed, with the reason, for as long as the dock shows it. */
export interface ClosedAsk {
  ask: Ask;
  resolution: Resolution;
}

/** One session as the window shows it. Every field can be had again from a snapshot. */
export interface SessionState {
  run: string;
  rev: number;
  summary: SessionSummary;
  mode: Mode;
  phase: PhaseState;
  items: Readonly<Record<number, Item>>;
  order: readonly number[];
  hasOlder: boolean;
  /** Rows around a place were asked for, and newer ones are missing after the last. */
  detached: boolean;
  liveRequest: number | null;
  live: readonly LiveHead[];
  discarded: readonly { request: number; errorKind: string }[];
  retry: RetryState | null;
  asks: readonly Ask[];
  closedAsks: readonly ClosedAsk[];
  todos: readonly Todo[];
  todosUpdatedAt: number | null;
  queue: readonly Queued[];
  shells: Readonly<Record<string, ShellInfo>>;
  meters: Meters;
  store: StoreState;
  readOnly: string | null;
  lastEnd: { outcome: string; message: string | null } | null;
}

/** The state a snapshot describes. Older rows that were loaded before stay if there is no hole between. */
export function fromSnapshot(snapshot: Snapshot, previous: SessionState | null): SessionState {
  const older = previous ? olderRows(snapshot, previous) : [];
  const items: Record<number, Item> = {};
  for (const item of [...older, ...snapshot.items]) items[item.seq] = item;
  const still: SessionState = {
    run: snapshot.run,
    rev: snapshot.rev,
    summary: snapshot.summary,
    mode: snapshot.summary.mode,
    phase: { ...IDLE_PHASE, phase: snapshot.phase, request: snapshot.live_request ?? 0 },
    items,
    order: [...older, ...snapshot.items].map((item) => item.seq),
    hasOlder: older.length > 0 && previous ? previous.hasOlder : snapshot.has_older,
    detached: false,
    liveRequest: snapshot.live_request,
    live: snapshot.live.map(({ block, kind, name }) => ({ block, kind, name })),
    discarded: [],
    retry: null,
    asks: snapshot.asks,
    closedAsks: [],
    todos: snapshot.todos,
    todosUpdatedAt: snapshot.todos_updated_at,
    queue: snapshot.queue,
    shells: Object.fromEntries(snapshot.shells.map((shell) => [shell.shell_id, shell])),
    meters: snapshot.meters,
    store: snapshot.store,
    readOnly: snapshot.read_only,
    lastEnd: null,
  };
  return snapshot.activity.reduce((state, { ts, event }) => reduceEvent(state, event, ts), still);
}

const IDLE_PHASE: PhaseState = {
  phase: 'idle',
  request: 0,
  step: 0,
  attempt: 0,
  lastByteAt: null,
  since: null,
};

function olderRows(snapshot: Snapshot, previous: SessionState): Item[] {
  const first = snapshot.items[0]?.seq;
  if (previous.run !== snapshot.run || first === undefined || !(first in previous.items)) return [];
  return previous.order.filter((seq) => seq < first).flatMap((seq) => previous.items[seq] ?? []);
}

/** Rows from a page of older ones, put in front. */
export function withOlder(state: SessionState, page: readonly Item[], hasOlder: boolean): SessionState {
  const fresh = page.filter((item) => !(item.seq in state.items));
  const items = { ...state.items };
  for (const item of fresh) items[item.seq] = item;
  return { ...state, items, order: [...fresh.map((item) => item.seq), ...state.order], hasOlder };
}

/** The closed question was shown long enough. */
export function withoutClosedAsk(state: SessionState, callId: CallId): SessionState {
  return { ...state, closedAsks: state.closedAsks.filter((closed) => closed.ask.call_id !== callId) };
}

/** What the session looks like after an event. Live text is not part of it; see [`LiveTexts`]. */
export function sessionReducer(state: SessionState, envelope: Envelope): SessionState {
  const next = reduceEvent(state, envelope.event, envelope.ts);
  return { ...next, rev: envelope.rev };
}

function reduceEvent(state: SessionState, event: SessionEvent, ts: number): SessionState {
  switch (event.type) {
    case 'item_added':
      return withItem(endOfLive(state, event.item), event.item);
    case 'item_changed':
      return withItem(state, event.item);
    case 'items_hidden':
      return withoutItems(state, event.from);
    case 'phase':
      return withPhase(state, event, ts);
    case 'block_started':
      return withBlock(state, event.request, { block: event.block, kind: event.kind, name: null });
    case 'attempt_discarded':
      return {
        ...state,
        liveRequest: null,
        live: [],
        discarded: [...state.discarded, { request: event.request, errorKind: event.error_kind }],
      };
    case 'retry_wait': {
      const { until, error_kind: errorKind, message, attempt, of } = event;
      return { ...state, retry: { until, errorKind, message, attempt, of } };
    }
    case 'ask_opened':
      return { ...state, asks: [...withoutAsk(state.asks, event.ask.call_id), event.ask] };
    case 'ask_changed':
      return {
        ...state,
        asks: state.asks.map((ask) => (ask.call_id === event.ask.call_id ? event.ask : ask)),
      };
    case 'ask_closed':
      return withClosedAsk(state, event.call_id, event.resolution);
    case 'meters':
      return { ...state, meters: event.meters };
    case 'todos':
      return { ...state, todos: event.todos, todosUpdatedAt: event.updated_at };
    case 'mode':
      return { ...state, mode: event.mode };
    case 'queue':
      return { ...state, queue: event.queue };
    case 'shell':
      return { ...state, shells: { ...state.shells, [event.shell.shell_id]: event.shell } };
    case 'summary':
      return { ...state, summary: event.summary, mode: event.summary.mode };
    case 'turn_ended':
      return {
        ...state,
        liveRequest: null,
        live: [],
        discarded: [],
        retry: null,
        lastEnd: { outcome: event.outcome, message: event.message },
      };
    case 'store':
      return { ...state, store: event.state };
    case 'block_delta':
    case 'draft':
    case 'saved_outside':
    case 'reset':
      return state;
  }
}

/** The stored row of an answer takes the place of its live text. */
function endOfLive(state: SessionState, item: Item): SessionState {
  if (item.body.kind === 'user') return { ...state, lastEnd: null };
  if (item.body.kind !== 'assistant') return state;
  if (item.body.request !== state.liveRequest) return { ...state, discarded: [] };
  return { ...state, liveRequest: null, live: [], discarded: [] };
}

function withItem(state: SessionState, item: Item): SessionState {
  const items = { ...state.items, [item.seq]: item };
  if (item.seq in state.items) return { ...state, items };
  const first = state.order[0];
  // Newer rows come when the person goes to the end; older ones come with their page.
  if (state.detached && item.seq > (state.order.at(-1) ?? 0)) return state;
  if (first !== undefined && item.seq < first && state.hasOlder) return state;
  const at = state.order.findLastIndex((seq) => seq < item.seq) + 1;
  return { ...state, items, order: state.order.toSpliced(at, 0, item.seq) };
}

function withoutItems(state: SessionState, from: number): SessionState {
  const order = state.order.filter((seq) => seq < from);
  const items = Object.fromEntries(order.map((seq) => [seq, state.items[seq]])) as Record<number, Item>;
  return { ...state, order, items };
}

function withPhase(
  state: SessionState,
  event: Extract<SessionEvent, { type: 'phase' }>,
  ts: number,
): SessionState {
  const same = state.phase.phase === event.phase && state.phase.request === event.request;
  const phase: PhaseState = {
    phase: event.phase,
    request: event.request,
    step: event.step,
    attempt: event.attempt,
    lastByteAt: event.last_byte_at,
    since: (same ? state.phase.since : null) ?? ts,
  };
  return { ...state, phase, retry: event.phase === 'backoff' ? state.retry : null };
}

function withBlock(state: SessionState, request: number, head: LiveHead): SessionState {
  const live = state.liveRequest === request ? state.live : [];
  if (live.some((known) => known.block === head.block)) return state;
  return { ...state, liveRequest: request, live: [...live, head] };
}

function withoutAsk(asks: readonly Ask[], callId: CallId): Ask[] {
  return asks.filter((ask) => ask.call_id !== callId);
}

function withClosedAsk(state: SessionState, callId: CallId, resolution: Resolution): SessionState {
  const ask = state.asks.find((open) => open.call_id === callId);
  if (!ask) return state;
  return {
    ...state,
    asks: withoutAsk(state.asks, callId),
    closedAsks: [...state.closedAsks, { ask, resolution }],
  };
}
