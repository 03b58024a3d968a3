import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeBackend, type FakeSession } from '@/backend/fake';
import type { Snapshot } from '@/bindings';
import { appInfo, settings, snapshot, userItem } from '@/dev/builders';
import { SessionLink, WITHDRAWN_SHOWN_MS } from './sessionLink';
import type { SessionState } from './sessionReducer';

let backend: FakeBackend;
let session: FakeSession;
let link: SessionLink;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame'] });
  backend = new FakeBackend(appInfo(), settings());
  session = backend.addSession(snapshot({ items: [userItem(1, 'first')] }));
  link = new SessionLink(backend, 's1');
});

afterEach(() => {
  link.stop();
  vi.useRealTimers();
});

function state(): SessionState {
  const view = link.store.getState();
  if (view.status !== 'ready') throw new Error(`not ready: ${view.status}`);
  return view.session;
}

const texts = () => state().order.map((seq) => (state().items[seq]?.body as { text?: string }).text);

describe('attaching', () => {
  it('keeps what arrives before the snapshot and applies only what is newer', async () => {
    let release: (value: Snapshot) => void = () => undefined;
    backend.on('open_session', () => new Promise<Snapshot>((resolve) => (release = resolve)));
    const started = link.start();
    await vi.advanceTimersByTimeAsync(0);
    session.emit({ type: 'item_added', item: userItem(2, 'in the snapshot too') });
    const taken = session.snapshot;
    session.emit({ type: 'item_added', item: userItem(3, 'after it') });
    release(taken);
    await started;
    expect(texts()).toEqual(['first', 'in the snapshot too', 'after it']);
    expect(state().rev).toBe(12);
  });

  it('takes a new snapshot when a number is missing', async () => {
    await link.start();
    session.lose({ type: 'item_added', item: userItem(2, 'lost on the way') });
    session.emit({ type: 'item_added', item: userItem(3, 'arrived') });
    await vi.advanceTimersByTimeAsync(0);
    expect(texts()).toEqual(['first', 'lost on the way', 'arrived']);
    expect(backend.requests('open_session')).toHaveLength(2);
  });

  it('takes a new snapshot when told to', async () => {
    await link.start();
    session.snapshot = { ...session.snapshot, items: [userItem(1, 'first'), userItem(9, 'meanwhile')] };
    session.emit({ type: 'reset' });
    await vi.advanceTimersByTimeAsync(0);
    expect(texts()).toEqual(['first', 'meanwhile']);
  });

  it('forgets everything when the program is another run', async () => {
    backend.on('page', () => ({ items: [userItem(0, 'older')], has_older: false }));
    session.snapshot = { ...session.snapshot, has_older: true };
    await link.start();
    await link.loadOlder();
    expect(texts()).toEqual(['older', 'first']);
    session.snapshot = { ...session.snapshot, run: 'run-2', rev: 1 };
    session.deliver([{ v: 1, session_id: 's1', rev: 99, seq: null, ts: 0, event: { type: 'reset' } }]);
    await vi.advanceTimersByTimeAsync(0);
    expect(state().run).toBe('run-2');
    expect(texts()).toEqual(['first']);
  });

  it('ignores what it has seen', async () => {
    await link.start();
    session.emit({ type: 'item_added', item: userItem(2, 'once') });
    const again = { v: 1, session_id: 's1', rev: 11, seq: null, ts: 0 };
    session.deliver([{ ...again, event: { type: 'item_added', item: userItem(5, 'old news') } }]);
    expect(texts()).toEqual(['first', 'once']);
  });

  it('says why a session cannot be opened', async () => {
    backend.refuseOnce('open_session', { code: 'SESSION_NOT_FOUND', message: 'gone', args: [] });
    await link.start();
    expect(link.store.getState()).toMatchObject({ status: 'error', error: { code: 'SESSION_NOT_FOUND' } });
  });
});

describe('live text', () => {
  it('reaches its row once per frame and never the store', async () => {
    await link.start();
    session.emit({ type: 'block_started', request: 1, block: 0, kind: 'text' });
    const before = link.store.getState();
    const seen: string[] = [];
    const text = link.texts.get(1, 0);
    text.subscribe(() => seen.push(text.current()));
    for (const delta of ['Hel', 'lo ', 'you'])
      session.emit({ type: 'block_delta', request: 1, block: 0, delta });
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(seen).toEqual(['Hello you']);
    expect(link.store.getState()).toBe(before);
  });

  it('goes on where a snapshot left it', async () => {
    session.emit({ type: 'block_started', request: 1, block: 0, kind: 'text' });
    session.emit({ type: 'block_delta', request: 1, block: 0, delta: 'so far' });
    await link.start();
    session.emit({ type: 'block_delta', request: 1, block: 0, delta: ', and on' });
    await vi.advanceTimersByTimeAsync(20);
    expect(link.texts.get(1, 0).current()).toBe('so far, and on');
  });
});

describe('drafts', () => {
  it('are saved a second after the first key, and at once when the window is left', async () => {
    await link.start();
    link.drafts.set('composer', 'h');
    link.drafts.set('composer', 'hi');
    await vi.advanceTimersByTimeAsync(999);
    expect(backend.requests('save_draft')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(backend.requests('save_draft')).toEqual([{ session_id: 's1', key: 'composer', value: 'hi' }]);
    link.drafts.set('composer', 'hi!');
    link.stop();
    expect(backend.requests('save_draft').at(-1)?.value).toBe('hi!');
  });

  it('that come back stand before what was typed meanwhile', async () => {
    await link.start();
    link.drafts.set('composer', 'new words');
    session.emit({ type: 'draft', text: 'queued words' });
    expect(link.drafts.get('composer')).toBe('queued words\n\nnew words');
  });
});

it('forgets a withdrawn question after a while', async () => {
  const ask = (await import('@/dev/builders')).execAsk('c1', 'ls');
  session.snapshot = { ...session.snapshot, asks: [ask] };
  await link.start();
  const resolution = { verdict: 'closed', scope: null, rules: [], words: null } as const;
  session.emit({ type: 'ask_closed', call_id: 'c1', resolution: { ...resolution, rules: [] } });
  expect(state().closedAsks).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(WITHDRAWN_SHOWN_MS);
  expect(state().closedAsks).toEqual([]);
});

describe('a look at older rows', () => {
  beforeEach(() => {
    const all = Array.from({ length: 5 }, (_, at) => userItem(at + 1, `row ${at + 1}`));
    session.snapshot = { ...session.snapshot, items: all };
    backend.on('open_session', ({ around }) =>
      around === null ? session.snapshot : { ...session.snapshot, items: all.slice(0, 2), has_older: false },
    );
    backend.on('page', () => ({ items: session.snapshot.items.slice(-1), has_older: true }));
  });

  it('does not pretend that what arrives stands right below', async () => {
    await link.start(1);
    expect(texts()).toEqual(['row 1', 'row 2']);
    expect(state().detached).toBe(true);
    session.emit({ type: 'item_added', item: userItem(6, 'new') });
    expect(texts()).toEqual(['row 1', 'row 2']);
    await link.showNewest();
    expect(state().detached).toBe(false);
    expect(texts()).toEqual(['row 1', 'row 2', 'row 3', 'row 4', 'row 5', 'new']);
  });

  it('is not needed for a row that is loaded', async () => {
    await link.start();
    await link.showAround(2);
    expect(backend.requests('open_session')).toHaveLength(1);
    expect(state().detached).toBe(false);
  });
});
