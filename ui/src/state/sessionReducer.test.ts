import { describe, expect, it } from 'vitest';
import { applyToSnapshot } from '@/backend/fakeSnapshot';
import type { Envelope, SessionEvent, Snapshot } from '@/bindings';
import { wireEvents, wireSnapshot } from '@/bindings/wire';
import {
  assistantItem,
  editAsk,
  execAsk,
  shell,
  snapshot,
  summary,
  toolItem,
  userItem,
} from '@/dev/builders';
import { deriveRows } from './rows';
import { fromSnapshot, sessionReducer, withOlder, type SessionState } from './sessionReducer';

function envelope(rev: number, event: SessionEvent): Envelope {
  return { v: 1, session_id: 's1', rev, seq: null, ts: 1_000 + rev, event };
}

function play(start: Snapshot, events: readonly SessionEvent[]): SessionState {
  return events.reduce(
    (state, event, at) => sessionReducer(state, envelope(start.rev + 1 + at, event)),
    fromSnapshot(start, null),
  );
}

/** What both a window that followed the events and one that starts now must agree on. */
function comparable(state: SessionState) {
  const { discarded: _d, closedAsks: _c, lastEnd: _l, rev: _v, ...rest } = state;
  return { ...rest, rows: deriveRows(state, []) };
}

const TURN: SessionEvent[] = [
  { type: 'item_added', item: userItem(1, 'Fix it') },
  { type: 'phase', phase: 'streaming', request: 1, step: 1, attempt: 1, last_byte_at: 5 },
  { type: 'phase', phase: 'backoff', request: 1, step: 1, attempt: 1, last_byte_at: null },
  { type: 'retry_wait', until: 9_000, error_kind: 'overloaded', message: 'Overloaded', attempt: 1, of: 7 },
  { type: 'phase', phase: 'streaming', request: 1, step: 1, attempt: 2, last_byte_at: 6 },
  { type: 'block_started', request: 1, block: 0, kind: 'text' },
  { type: 'block_delta', request: 1, block: 0, delta: 'I will' },
  { type: 'item_added', item: assistantItem(2, 1, 'I will look.') },
  { type: 'item_added', item: toolItem(3) },
  { type: 'item_added', item: toolItem(4, { state: 'running', status: null, tool_kind: 'search' }) },
  { type: 'item_changed', item: toolItem(4, { tool_kind: 'search' }) },
  { type: 'phase', phase: 'calls', request: 1, step: 1, attempt: 1, last_byte_at: null },
  { type: 'ask_opened', ask: editAsk('c5', 'a\n', 'b\n') },
  { type: 'ask_opened', ask: execAsk('c6', 'ls') },
  { type: 'ask_changed', ask: editAsk('c5', 'a\n', 'b\n', { state: 'stale' }) },
  {
    type: 'ask_closed',
    call_id: 'c5',
    resolution: { verdict: 'closed', scope: null, rules: [], words: null },
  },
  { type: 'shell', shell: shell() },
  { type: 'shell', shell: shell({ state: 'completed', exit_code: 0 }) },
  { type: 'todos', todos: [{ id: '1', content: 'x', status: 'pending' }], updated_at: 9 },
  { type: 'queue', queue: [{ id: 1, text: 'later', images: [], delivery: 'after' }] },
  { type: 'summary', summary: summary({ title: 'New title' }) },
  { type: 'store', state: 'full' },
  { type: 'turn_ended', outcome: 'completed', message: null },
];

describe('the session reducer', () => {
  it('agrees at every point with a window that starts from a snapshot', () => {
    const start = snapshot({ items: [] });
    let now = start;
    for (const [at, event] of TURN.entries()) {
      const rev = start.rev + 1 + at;
      now = { ...applyToSnapshot(now, event, envelope(rev, event).ts), rev };
      const followed = play(start, TURN.slice(0, at + 1));
      expect(comparable(followed), event.type).toEqual(comparable(fromSnapshot(now, null)));
    }
  });

  it('never changes the state it was given', () => {
    const state = fromSnapshot(snapshot({ items: [userItem(1, 'x')] }), null);
    const before = JSON.stringify(state);
    for (const [at, event] of TURN.entries()) sessionReducer(state, envelope(11 + at, event));
    expect(JSON.stringify(state)).toBe(before);
  });

  it('takes every event the backend can send', () => {
    for (const sample of Object.values(wireEvents)) {
      const state = fromSnapshot(wireSnapshot, null);
      expect(sessionReducer(state, sample).rev, sample.event.type).toBe(sample.rev);
    }
  });

  it('puts a row that arrives late in its place', () => {
    const state = play(snapshot({ items: [userItem(1, 'a')] }), [
      { type: 'item_added', item: toolItem(5) },
      { type: 'item_added', item: toolItem(3) },
    ]);
    expect(state.order).toEqual([1, 3, 5]);
  });

  it('takes rows out from a place on', () => {
    const state = play(snapshot({ items: [userItem(1, 'a'), userItem(4, 'b'), userItem(9, 'c')] }), [
      { type: 'items_hidden', from: 4 },
    ]);
    expect(state.order).toEqual([1]);
    expect(Object.keys(state.items)).toEqual(['1']);
  });

  it('keeps older rows over a new snapshot only if nothing is missing between', () => {
    const first = fromSnapshot(snapshot({ items: [userItem(50, 'x')], has_older: true }), null);
    const paged = withOlder(first, [userItem(40, 'y')], false);
    const joined = fromSnapshot(
      snapshot({ items: [userItem(50, 'x'), userItem(51, 'z')], has_older: true }),
      paged,
    );
    expect(joined.order).toEqual([40, 50, 51]);
    expect(joined.hasOlder).toBe(false);
    const hole = fromSnapshot(snapshot({ items: [userItem(90, 'x')], has_older: true }), paged);
    expect(hole.order).toEqual([90]);
    const restarted = fromSnapshot(
      snapshot({ run: 'run-2', items: [userItem(50, 'x')], has_older: true }),
      paged,
    );
    expect(restarted.order).toEqual([50]);
  });

  it('shows a half answer as discarded until the next one is there', () => {
    const failed = play(snapshot(), [
      { type: 'block_started', request: 1, block: 0, kind: 'text' },
      { type: 'attempt_discarded', request: 1, error_kind: 'network' },
    ]);
    expect(deriveRows(failed, []).map((row) => row.kind)).toEqual(['discarded']);
    const again = sessionReducer(
      failed,
      envelope(20, { type: 'item_added', item: assistantItem(2, 2, 'hi') }),
    );
    expect(deriveRows(again, []).map((row) => row.kind)).toEqual(['item']);
  });
});

describe('rows', () => {
  it('fold three finished reads and searches of one step, and leave failed ones out', () => {
    const reads = [1, 2, 3].map((seq) => toolItem(seq, { tool_kind: seq === 2 ? 'search' : 'read' }));
    const rows = deriveRows(fromSnapshot(snapshot({ items: reads }), null), []);
    expect(rows.map((row) => row.kind)).toEqual(['fold']);
    const failed = reads.map((row, at) => (at === 1 ? toolItem(2, { status: 'error' }) : row));
    const apart = deriveRows(fromSnapshot(snapshot({ items: failed }), null), []);
    expect(apart.map((row) => row.kind)).toEqual(['item', 'item', 'item']);
  });

  it('are the same list while only their contents change', () => {
    const state = fromSnapshot(
      snapshot({ items: [userItem(1, 'a'), toolItem(2, { state: 'running' })] }),
      null,
    );
    const rows = deriveRows(state, []);
    const changed = sessionReducer(
      state,
      envelope(11, { type: 'item_changed', item: toolItem(2, { ms: 99 }) }),
    );
    expect(deriveRows(changed, rows)).toBe(rows);
  });

  it('keep one key from the first live letter to the stored answer', () => {
    const live = play(snapshot(), [{ type: 'block_started', request: 7, block: 0, kind: 'text' }]);
    const stored = sessionReducer(
      live,
      envelope(12, { type: 'item_added', item: assistantItem(3, 7, 'hi') }),
    );
    expect(deriveRows(live, [])[0]?.key).toBe(deriveRows(stored, [])[0]?.key);
  });

  it('leave out answers that consist of calls alone', () => {
    const item = assistantItem(1, 1, '');
    const rows = deriveRows(fromSnapshot(snapshot({ items: [item, toolItem(2)] }), null), []);
    expect(rows).toHaveLength(1);
  });
});
