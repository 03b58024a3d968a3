import type { Item, LiveBlock, SessionEvent, Snapshot } from '@/bindings';

/** Rows a snapshot holds at most. */
const MAX_ITEMS = 100;

/**
 * What a snapshot taken after an event holds. Written apart from the window's reducer on purpose: tests compare a
 * window that followed the events with one that started from the snapshot.
 */
export function applyToSnapshot(snapshot: Snapshot, event: SessionEvent, ts: number): Snapshot {
  switch (event.type) {
    case 'item_added':
    case 'item_changed':
      return withItem(snapshot, event.item);
    case 'items_hidden':
      return { ...snapshot, items: snapshot.items.filter((item) => item.seq < event.from) };
    case 'phase': {
      const wait = snapshot.activity.filter((happened) => happened.event.type === 'retry_wait');
      const kept = event.phase === 'backoff' ? wait : [];
      const before = snapshot.activity.find(({ event: { type } }) => type === 'phase');
      const same =
        before?.event.type === 'phase' &&
        before.event.phase === event.phase &&
        before.event.request === event.request;
      const shown = { ts: same ? before.ts : ts, event };
      return { ...snapshot, phase: event.phase, activity: [shown, ...kept] };
    }
    case 'retry_wait':
      return { ...snapshot, activity: [...snapshot.activity.slice(0, 1), { ts, event }] };
    case 'block_started': {
      const fresh = snapshot.live_request !== event.request;
      const block: LiveBlock = { block: event.block, kind: event.kind, name: null, text: '' };
      return { ...snapshot, live_request: event.request, live: [...(fresh ? [] : snapshot.live), block] };
    }
    case 'block_delta':
      return {
        ...snapshot,
        live: snapshot.live.map((live) =>
          live.block === event.block ? { ...live, text: live.text + event.delta } : live,
        ),
      };
    case 'attempt_discarded':
      return { ...snapshot, live_request: null, live: [] };
    case 'turn_ended':
      return { ...snapshot, live_request: null, live: [], activity: snapshot.activity.slice(0, 1) };
    case 'ask_opened':
      return { ...snapshot, asks: [...snapshot.asks, event.ask] };
    case 'ask_changed':
      return {
        ...snapshot,
        asks: snapshot.asks.map((ask) => (ask.call_id === event.ask.call_id ? event.ask : ask)),
      };
    case 'ask_closed':
      return { ...snapshot, asks: snapshot.asks.filter((ask) => ask.call_id !== event.call_id) };
    case 'meters':
      return { ...snapshot, meters: event.meters };
    case 'todos':
      return { ...snapshot, todos: event.todos, todos_updated_at: event.updated_at };
    case 'mode':
      return { ...snapshot, summary: { ...snapshot.summary, mode: event.mode } };
    case 'queue':
      return { ...snapshot, queue: event.queue };
    case 'shell':
      return {
        ...snapshot,
        shells: [...snapshot.shells.filter((shell) => shell.shell_id !== event.shell.shell_id), event.shell],
      };
    case 'summary':
      return { ...snapshot, summary: event.summary };
    case 'store':
      return { ...snapshot, store: event.state };
    case 'draft':
      return { ...snapshot, drafts: [{ key: 'composer', value: event.text }] };
    case 'saved_outside':
    case 'reset':
      return snapshot;
  }
}

function withItem(snapshot: Snapshot, item: Item): Snapshot {
  const known = snapshot.items.some((other) => other.seq === item.seq);
  const items = known
    ? snapshot.items.map((other) => (other.seq === item.seq ? item : other))
    : [...snapshot.items, item].sort((a, b) => a.seq - b.seq);
  const endsLive = item.body.kind === 'assistant' && item.body.request === snapshot.live_request;
  return {
    ...snapshot,
    items: items.slice(-MAX_ITEMS),
    has_older: snapshot.has_older || items.length > MAX_ITEMS,
    live_request: endsLive ? null : snapshot.live_request,
    live: endsLive ? [] : snapshot.live,
  };
}
