import { act, fireEvent, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { assistantItem, shell, snapshot, summary, toolItem, userItem } from '@/dev/builders';
import { openWindow, settle, type TestWindow } from '../../test/render';

const page = document.documentElement.dataset;

function press(key: string, change: object = {}): void {
  act(() => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...change });
  });
}

describe('the first run', () => {
  it('goes from language over provider to a session on the sample project', async () => {
    const window = await openWindow({ settings: { first_run_done: false } });
    expect(page.appState).toBe('first-run');
    fireEvent.click(within(window.get('first-language')).getByLabelText('简体中文'));
    await settle();
    expect(page.locale).toBe('zh-CN');
    expect(document.documentElement.lang).toBe('zh-CN');
    fireEvent.click(window.get('first-next'));
    await settle();
    expect(window.get('first-provider-demo')).toBeChecked();
    fireEvent.click(window.get('first-next'));
    await settle();
    window.backend.on('open_demo_workspace', () => ({ path: '/demo', name: 'demo', branch: null }));
    window.backend.on('create_session', ({ workspace }) => {
      const row = summary({ session_id: 's9', workspace, title: '' });
      window.backend.addSession(snapshot({ summary: row }));
      return row;
    });
    fireEvent.click(window.get('first-demo'));
    await settle();
    expect(page.appState).toBe('ready');
    expect(window.backend.settings.first_run_done).toBe(true);
    expect(window.workbench.current.getState().link?.sessionId).toBe('s9');
  });

  it('sends nothing anywhere before Test, and goes on without a passed test', async () => {
    const window = await openWindow({ settings: { first_run_done: false } });
    fireEvent.click(window.get('first-next'));
    await settle();
    fireEvent.click(window.get('first-provider-own'));
    fireEvent.change(window.get('provider-url'), { target: { value: 'http://localhost:1' } });
    fireEvent.change(window.get('provider-model'), { target: { value: 'm' } });
    expect(window.backend.requests('test_provider')).toEqual([]);
    window.backend.on('test_provider', () => ({
      ok: false,
      code: 'auth',
      message: 'HTTP 401',
      first_byte_ms: null,
    }));
    fireEvent.click(window.get('first-test'));
    await settle();
    expect(window.get('first-test-result').dataset).toMatchObject({ state: 'failed', value: 'auth' });
    fireEvent.click(window.get('first-next'));
    await settle();
    expect(window.backend.settings.providers).toMatchObject([{ base_url: 'http://localhost:1', model: 'm' }]);
    expect(window.none('first-step-project')).toBe(false);
  });
});

describe('the list of sessions', () => {
  const rows = (window: TestWindow) => window.all('session-row').map((row) => row.dataset.key);

  async function withThree(): Promise<TestWindow> {
    return openWindow({
      prepare: (backend) => {
        backend.addSession(
          snapshot({ summary: summary({ session_id: 's2', title: 'Second', state: 'waiting' }) }),
        );
        backend.addSession(
          snapshot({ summary: summary({ session_id: 's3', title: 'Old', archived: true }) }),
        );
      },
    });
  }

  it('puts those that wait first, and archived ones away', async () => {
    const window = await withThree();
    expect(rows(window)).toEqual(['s2', 's1']);
    expect(window.get('session-row', { key: 's2' }).dataset.state).toBe('waiting');
    fireEvent.click(window.get('sidebar-show-archived'));
    expect(rows(window)).toEqual(['s2', 's1', 's3']);
    expect(document.title).toBe('(1) Benchdog');
    expect(window.backend.titles.at(-1)).toBe('(1) Benchdog');
  });

  it('finds words, marked, and opens where they are', async () => {
    const window = await withThree();
    window.backend.on('search', ({ query }) => ({
      hits: [
        {
          session_id: 's2',
          title: 'Second',
          workspace: '/w',
          seq: 7,
          snippet: `a \u0002${query}\u0003 b`,
          ts: 1,
        },
      ],
    }));
    fireEvent.change(window.get('sidebar-search'), { target: { value: 'parser' } });
    const hit = await window.find('session-hit');
    expect(hit.querySelector('mark')?.textContent).toBe('parser');
    fireEvent.click(hit);
    await settle();
    expect(window.backend.requests('open_session').at(-1)).toEqual({ session_id: 's2', around: 7 });
    fireEvent.click(window.get('sidebar-search-clear'));
    await settle();
    expect(rows(window)).toHaveLength(2);
  });

  it('searches from two letters on, or one where each is a word', async () => {
    const window = await withThree();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const query of ['a', '解']) {
      fireEvent.change(window.get('sidebar-search'), { target: { value: query } });
      await act(() => vi.advanceTimersByTimeAsync(200));
    }
    vi.useRealTimers();
    expect(window.backend.requests('search').map(({ query }) => query)).toEqual(['解']);
  });

  it('renames in place, and restores by Esc', async () => {
    const window = await withThree();
    fireEvent.keyDown(window.get('session-row', { key: 's1' }), { key: 'F2' });
    const edit = window.get('session-title-edit');
    fireEvent.change(edit, { target: { value: 'Better' } });
    fireEvent.keyDown(edit, { key: 'Escape' });
    await settle();
    expect(window.backend.requests('rename_session')).toEqual([]);
    fireEvent.click(window.get('session-title'));
    fireEvent.change(window.get('session-title-edit'), { target: { value: 'Better' } });
    fireEvent.keyDown(window.get('session-title-edit'), { key: 'Enter' });
    await settle();
    expect(window.get('session-title').textContent).toBe('Better');
  });

  it('deletes without a dialog, and takes it back', async () => {
    const window = await withThree();
    fireEvent.keyDown(window.get('session-row', { key: 's1' }), { key: 'Delete' });
    await settle();
    expect(rows(window)).toEqual(['s2']);
    expect(window.get('toast').textContent).toContain('Fix parser EOF bug');
    window.backend.on('undo_delete', () => {
      window.backend.addSession(snapshot());
      return {};
    });
    fireEvent.click(window.get('session-undo-delete'));
    await settle();
    expect(rows(window)).toEqual(['s2', 's1']);
  });

  it('says what failed and keeps what it had', async () => {
    const window = await withThree();
    window.backend.refuseOnce('list_sessions', { code: 'STORE_BUSY', message: 'locked', args: [] });
    act(() => {
      window.backend.tellApp({ type: 'sessions_changed' });
    });
    await settle();
    expect(window.get('sidebar').dataset.state).toBe('error');
    expect(rows(window)).toHaveLength(2);
    fireEvent.click(window.get('sidebar-retry'));
    await settle();
    expect(window.get('sidebar').dataset.state).toBe('ready');
  });
});

describe('keys', () => {
  it('walk the regions in their order and come back', async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'hi')] } });
    window.get('composer-input').focus();
    const visited: (string | undefined)[] = [];
    for (let times = 0; times < 7; times += 1) {
      press('F6');
      visited.push(document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset.region);
    }
    expect(new Set(visited).size).toBeGreaterThanOrEqual(5);
    expect(visited.indexOf('sidebar')).toBe(visited.indexOf('titlebar') + 1);
    expect(visited).toContain('composer');
  });

  it('make a session, show settings and help, and change the size', async () => {
    const window = await openWindow();
    press('n', { ctrlKey: true });
    await settle();
    expect(window.backend.requests('create_session')).toHaveLength(1);
    press(',', { ctrlKey: true });
    await window.find('settings');
    press('=', { ctrlKey: true });
    await settle();
    expect(window.backend.settings.ui_scale).toBe(110);
    press('0', { ctrlKey: true });
    await settle();
    expect(window.backend.settings.ui_scale).toBe(100);
    press('?', { shiftKey: true });
    await window.find('help-close');
  });

  it('do nothing for the window while a process has them', async () => {
    const window = await openWindow();
    const terminal = document.createElement('div');
    terminal.dataset.takesKeys = 'true';
    terminal.tabIndex = 0;
    document.body.append(terminal);
    terminal.focus();
    press('n', { ctrlKey: true });
    press('b', { ctrlKey: true });
    await settle();
    expect(window.backend.requests('create_session')).toEqual([]);
    expect(window.none('sidebar')).toBe(false);
    press('F6');
    expect(document.activeElement).not.toBe(terminal);
    terminal.remove();
  });
});

describe('the status bar', () => {
  it('shows the seconds since the last byte and Stop once a server is silent', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: 100_000 });
    const window = await openWindow();
    act(() => {
      window.session.emit({
        type: 'phase',
        phase: 'streaming',
        request: 1,
        step: 1,
        attempt: 1,
        last_byte_at: 100_000,
      });
    });
    act(() => {
      vi.advanceTimersByTime(9_000);
    });
    expect(window.get('status-connection').dataset.state).toBe('busy');
    act(() => {
      vi.advanceTimersByTime(3_000);
    });
    expect(window.get('status-connection').dataset).toMatchObject({ state: 'silent', value: '12' });
    fireEvent.click(window.get('status-stop'));
    vi.useRealTimers();
    await settle();
    expect(window.backend.requests('cancel')).toHaveLength(1);
  });

  it('shows a cost only if one is known', async () => {
    const meters = { ...snapshot().meters, tok_in: 1_000, tok_out: 10, context_used: 900 };
    const window = await openWindow({ snapshot: { meters } });
    expect(window.none('status-cost')).toBe(true);
    expect(window.get('status-context').dataset.value).toBe('900');
    act(() => {
      window.session.emit({ type: 'meters', meters: { ...meters, cost_micros: 420_000 } });
    });
    await settle();
    expect(window.get('status-cost').textContent).toBe('$0.42');
  });
});

describe('banners', () => {
  it('count down to the next try, and offer it now', async () => {
    const window = await openWindow({ snapshot: { phase: 'streaming' } });
    act(() => {
      window.session.emit(
        { type: 'phase', phase: 'backoff', request: 1, step: 1, attempt: 2, last_byte_at: null },
        {
          type: 'retry_wait',
          until: Date.now() + 7_500,
          error_kind: 'overloaded',
          message: 'busy',
          attempt: 2,
          of: 5,
        },
      );
    });
    await settle();
    const banner = window.get('app-banner', { kind: 'retry' });
    expect(banner.textContent).toContain('The server is overloaded. Try 2 of 5 failed. Next try in 8 s.');
    fireEvent.click(window.get('app-banner-action', { key: 'retry_now' }));
    await settle();
    expect(window.backend.requests('retry_now')).toHaveLength(1);
    act(() => {
      window.session.emit({
        type: 'phase',
        phase: 'streaming',
        request: 2,
        step: 1,
        attempt: 3,
        last_byte_at: 1,
      });
    });
    await settle();
    expect(window.none('app-banner')).toBe(true);
  });

  it.each(['busy', 'read_only', 'full', 'damaged'] as const)('say that the store is %s', async (store) => {
    const window = await openWindow({ snapshot: { store } });
    expect(window.get('app-banner', { kind: 'store' }).textContent).not.toBe('');
  });

  it('say so too while no session is open, and once what happened before', async () => {
    const window = await openWindow({
      prepare: (backend) => {
        backend.sessions.clear();
        backend.info.store_notice = { code: 'STORE_UNUSABLE', message: 'put aside', args: [] };
      },
    });
    expect(window.get('toast').textContent).toContain('put aside');
    act(() => {
      window.backend.tellApp({ type: 'store', state: 'full' });
    });
    await settle();
    expect(window.get('app-banner', { kind: 'store' }).textContent).toContain('The disk is full');
  });

  it('say that the backend is lost', async () => {
    const window = await openWindow({
      prepare: (backend) => {
        backend.refuseOnce('app_info', { code: 'INTERNAL', message: 'pipe closed', args: [] });
      },
    });
    expect(page.appState).toBe('backend-lost');
    fireEvent.click(window.get('app-retry'));
    await settle();
    expect(page.appState).toBe('ready');
  });
});

describe('cards of calls', () => {
  it('show by kind what they did, and never nothing', async () => {
    const { wireDisplays } = await import('@/bindings/wire');
    const items = Object.values(wireDisplays).map((display, at) =>
      toolItem(at + 1, { display, call_id: `c${at}`, tool_kind: 'other', result_text: 'read by the model' }),
    );
    const window = await openWindow({ snapshot: { items } });
    expect(window.all('tool-card')).toHaveLength(items.length);
    for (const card of window.all('tool-card')) {
      const toggle = window.get('tool-toggle', {}, card);
      act(() => {
        fireEvent.click(toggle);
      });
      expect(card.querySelector('.tool-body')?.textContent, card.textContent).not.toBe('');
    }
  });

  it('load the whole result when asked', async () => {
    const item = toolItem(3, {
      name: 'other',
      tool_kind: 'other',
      result_text: 'begin',
      result_chars: 5_000,
    });
    const window = await openWindow({ snapshot: { items: [item] } });
    window.backend.on('load_result', ({ seq }) => ({ text: `begin and end of ${seq}` }));
    fireEvent.click(window.get('tool-toggle'));
    fireEvent.click(window.get('tool-result-more'));
    await settle();
    expect(window.get('tool-result').textContent).toBe('begin and end of 3');
  });

  it('say who let them pass', async () => {
    const resolution = {
      verdict: 'allowed',
      scope: 'session',
      rules: ['Shell(cargo *)'],
      words: null,
    } as const;
    const item = toolItem(3, { resolution: { ...resolution, rules: [...resolution.rules] } });
    const window = await openWindow({ snapshot: { items: [item], shells: [shell()] } });
    fireEvent.click(window.get('tool-toggle'));
    expect(window.container.textContent).toContain('Allowed by you, for this session');
    expect(window.container.textContent).toContain('Shell(cargo *)');
  });
});

describe('an answer that arrives', () => {
  it('draws its own row only, and keeps that row when it is complete', async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'hi')] } });
    act(() => {
      window.session.emit({ type: 'block_started', request: 1, block: 0, kind: 'text' });
    });
    await settle();
    const live = window.get('msg-row', { key: 'live' });
    const other = window.get('msg-row', { key: '1' });
    const before = other.outerHTML;
    for (const delta of ['Hello ', '**you**']) {
      act(() => {
        window.session.emit({ type: 'block_delta', request: 1, block: 0, delta });
      });
    }
    await act(() => new Promise((resolve) => setTimeout(resolve, 40)));
    expect(window.get('msg-text', {}, live).textContent).toContain('Hello you');
    expect(other.outerHTML).toBe(before);
    act(() => {
      window.session.emit({ type: 'item_added', item: assistantItem(2, 1, 'Hello **you**') });
    });
    await settle();
    expect(window.get('msg-row', { key: '2' }).dataset.state).toBe('complete');
    expect(page.rev).toBe(String(window.session.snapshot.rev));
  });
});
