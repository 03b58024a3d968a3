import { act, fireEvent, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShellInfo } from '@/bindings';
import { shell, snapshot, summary } from '@/dev/builders';
import { violations } from '../../../test/axe';
import { openWindow, settle, type TestWindow } from '../../../test/render';

const NOW = Date.now();

/** A dialog takes the focus a frame after it has come. */
const FOCUS_MS = 50;

const LEFT = [11, 12, 13, 14].map((pid) => ({ pid, name: 'node' }));

/** One of each state, in no order. */
const ALL: ShellInfo[] = [
  shell({ shell_id: 'done', state: 'completed', exit_code: 0, ended_at: NOW - 9_000, command: 'make' }),
  shell({ shell_id: 'bad', state: 'failed', exit_code: 3, ended_at: NOW - 1_000, leftovers: 9, left: LEFT }),
  shell({ shell_id: 'run', background: true, children: 3, bytes: 7, cwd: '/home/me/my-repo/web' }),
  shell({ shell_id: 'stop', state: 'cancelled', ended_at: NOW - 5_000 }),
  shell({ shell_id: 'late', state: 'timed_out', ended_at: NOW - 6_000 }),
  shell({ shell_id: 'lost', state: 'lost', ended_at: NOW - 7_000 }),
  shell({
    shell_id: 'wait',
    waiting: true,
    background: true,
    started_at: NOW - 60_000,
    last_output_at: NOW - 50_000,
  }),
];

async function openPanel(shells: ShellInfo[], language: 'en' | 'zh-CN' = 'en'): Promise<TestWindow> {
  const window = await openWindow({ snapshot: { shells }, settings: { language } });
  act(() => {
    window.workbench.ui.setState({ panelOpen: true, panelTab: 'shells' });
  });
  await settle();
  return window;
}

// What is said of times must not depend on how fast the tests are.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

const keys = (window: TestWindow) => window.all('shell-row').map((row) => row.dataset.key);
const row = (window: TestWindow, key: string) => window.get('shell-row', { key });

describe('the list of commands', () => {
  it.each([
    ['en', ['running', 'completed', 'failed', 'stopped', 'timed out', 'was running when Benchdog closed']],
    ['zh-CN', ['正在运行', '已完成', '失败', '已停止', '超时', 'Benchdog 关闭时仍在运行']],
  ] as const)('says every state in words: %s', async (language, words) => {
    const window = await openPanel(ALL, language);
    const said = ['run', 'done', 'bad', 'stop', 'late', 'lost'].map(
      (key) => window.get('shell-state', {}, row(window, key)).textContent,
    );
    expect(said).toEqual(words);
    expect(await violations()).toEqual([]);
  });

  it('has what runs first, in the order of its start, then what ended, the newest first', async () => {
    const window = await openPanel(ALL);
    expect(keys(window)).toEqual(['wait', 'run', 'bad', 'stop', 'late', 'lost', 'done']);
    expect(window.get('shells-count').dataset.value).toBe('2');
  });

  it('says what runs below a command, what it left, where it runs, and whether it is quiet or waits', async () => {
    const quiet = shell({ shell_id: 'quiet', last_output_at: NOW - 45_000 });
    const window = await openPanel([...ALL, quiet]);
    expect(row(window, 'run').textContent).toContain('+ 3 children');
    expect(row(window, 'run').textContent).toContain('./web');
    const left = window.get('shell-leftovers', {}, row(window, 'bad'));
    expect(left.textContent).toContain('Still running: node (11), node (12), node (13) and 6 more');
    fireEvent.click(window.get('shell-kill', {}, left));
    expect(window.backend.requests('signal_terminal')).toEqual([{ shell_id: 'bad', signal: 'kill' }]);
    expect(window.get('shell-quiet', {}, row(window, 'quiet')).textContent).toBe(
      'No output for 45 s, still running',
    );
    expect(row(window, 'wait').textContent).toContain('Seems to wait for input');
    expect(row(window, 'wait').textContent, 'one reason is enough').not.toContain('No output');
    expect(window.get('shell-open', {}, row(window, 'run')).title).toBe('cargo test -p parser');
  });

  it('marks what was printed since the person looked', async () => {
    const window = await openPanel(ALL);
    expect(window.all('shell-unread')).toHaveLength(1);
    fireEvent.click(window.get('shell-open', {}, row(window, 'run')));
    await settle();
    expect(window.get('shell-detail').dataset.key).toBe('run');
    fireEvent.click(window.get('shell-back'));
    expect(window.none('shell-unread')).toBe(true);
    act(() => {
      window.session.emit({
        type: 'shell',
        shell: shell({ shell_id: 'run', background: true, bytes: 99 }),
      });
    });
    expect(window.none('shell-unread')).toBe(false);
  });

  it('ends all only after a question, and clears what ended', async () => {
    const window = await openPanel(ALL);
    fireEvent.click(window.get('shell-kill-all'));
    expect(window.get('killall-list').dataset.count).toBe('2');
    await act(() => new Promise((resolve) => setTimeout(resolve, FOCUS_MS)));
    expect(document.activeElement?.getAttribute('data-testid')).toBe('killall-cancel');
    expect(await violations()).toEqual([]);
    fireEvent.click(window.get('killall-cancel'));
    await settle();
    expect(window.backend.requests('kill_shells')).toEqual([]);
    fireEvent.click(window.get('shell-kill-all'));
    fireEvent.click(window.get('killall-confirm'));
    await settle();
    expect(window.backend.requests('kill_shells')).toEqual([{ session_id: 's1' }]);
    fireEvent.click(window.get('shell-remove-ended'));
    await settle();
    expect(keys(window)).toEqual(['wait', 'run']);
  });

  it('runs one again by asking for it, fenced so that nothing of it becomes a word of the person', async () => {
    const command = 'echo "```"\nls';
    const window = await openPanel([shell({ state: 'completed', ended_at: NOW, command })]);
    fireEvent.click(window.get('shell-again'));
    await settle();
    const [sent] = window.backend.requests('send');
    expect(sent?.text).toContain(`\n\n\`\`\`\`\`\`sh\n${command}\n\`\`\`\`\`\``);
    expect(sent?.delivery).toBe('after');
  });

  it('draws hundreds as a window onto the list', async () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      shell({ shell_id: `s${at}`, state: 'completed', ended_at: NOW - at }),
    );
    const window = await openPanel(many);
    expect(window.get('shells-panel').dataset.count).toBe('300');
    expect(window.all('shell-row').length).toBeLessThan(60);
  });

  it('says that there is nothing', async () => {
    const window = await openPanel([]);
    expect(window.get('shells-panel').textContent).toContain('No background shells');
  });
});

describe('an ended command', () => {
  it('is text to read and to search, in its colours', async () => {
    const window = await openPanel([shell({ state: 'failed', exit_code: 1, ended_at: NOW })]);
    window.backend.log = 'first\n\u001b[31mred\u001b[0m and plain\nprogress 1%\rprogress 100%\nlast';
    fireEvent.click(window.get('shell-open'));
    const log = await window.find('log-view', { state: 'ready' });
    await settle();
    const lines = () => [...log.querySelectorAll('.log-text')].map((line) => line.textContent);
    expect(lines()).toEqual(['first', 'red and plain', 'progress 100%', 'last']);
    expect(within(log).getByText('red').style.color).toBe('var(--term-red)');
    fireEvent.change(window.get('pty-find-input'), { target: { value: 'RED' } });
    await window.find('log-find-count', { state: 'found' });
    expect(window.get('log-find-count').dataset.value).toBe('1');
    expect(log.querySelector('mark')?.textContent).toBe('red');
    expect(log.querySelector('[data-current="true"]')?.textContent).toContain('red and plain');
    fireEvent.change(window.get('pty-find-input'), { target: { value: 'nowhere' } });
    await window.find('log-find-count', { state: 'none' });
    expect(await violations()).toEqual([]);
  });
});

describe('closing the window', () => {
  const ask = (window: TestWindow) => {
    act(() => {
      window.backend.tellApp({ type: 'close_requested' });
    });
  };

  it('lists what runs in all sessions, says that it is shown, and does as it is told', async () => {
    const window = await openWindow({
      snapshot: { shells: [shell()] },
      prepare: (backend) => {
        const other = summary({ session_id: 's2', title: 'Other' });
        const theirs = shell({ shell_id: 'sh9', session_id: 's2', command: 'npm run dev' });
        backend.addSession(snapshot({ summary: other, shells: [theirs] }));
      },
    });
    ask(window);
    const list = await window.find('quit-list', { count: '2' });
    expect(list.textContent).toContain('npm run dev');
    expect(list.textContent).toContain('Other');
    await act(() => new Promise((resolve) => setTimeout(resolve, FOCUS_MS)));
    expect(document.activeElement?.getAttribute('data-testid')).toBe('quit-cancel');
    expect(await violations()).toEqual([]);
    fireEvent.click(window.get('quit-cancel'));
    await settle();
    expect(window.none('quit-list')).toBe(true);
    ask(window);
    await window.find('quit-list', { count: '2' });
    fireEvent.click(window.get('quit-confirm'));
    await settle();
    expect(window.backend.closing).toEqual(['shown', 'kept', 'shown', 'quit']);
    expect(window.get('quit-confirm')).toBeDisabled();
  });
});

it.each([
  ['what ends with the window', true, '2'],
  ['not what is left alone', false, '1'],
] as const)('lists %s', async (_, kills, count) => {
  const running = shell({ shell_id: 'run' });
  const left = shell({ state: 'completed', ended_at: NOW, leftovers: 1, left: LEFT.slice(0, 1) });
  const window = await openWindow({
    settings: { kill_leftovers_on_quit: kills },
    prepare: (backend) => {
      backend.on('running_shells', () => ({ shells: [running, left] }));
    },
  });
  act(() => {
    window.backend.tellApp({ type: 'close_requested' });
  });
  const list = await window.find('quit-list', { count });
  expect(list.textContent.includes('Still running: node (11)')).toBe(kills);
});

it('says that a command ended, and leads to it', async () => {
  const window = await openWindow({ snapshot: { shells: ALL } });
  const ended = ALL[0];
  if (!ended) throw new Error('there is one');
  act(() => {
    window.backend.tellApp({ type: 'shell_ended', shell: ended });
  });
  const toast = await window.find('toast');
  expect(toast.textContent).toContain('make: completed');
  fireEvent.click(window.get('toast-action'));
  await settle();
  expect(window.get('shell-detail').dataset.key).toBe('done');
});
