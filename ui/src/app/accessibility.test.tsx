import { act, fireEvent } from '@testing-library/react';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FakeBackend } from '@/backend/fake';
import type { Snapshot } from '@/bindings';
import { wireAsks, wireItems } from '@/bindings/wire';
import { editAsk, shell, summary, toolItem, userItem } from '@/dev/builders';
import { demoChanges, fileConflict } from '@/dev/changes';
import { addCatalogue } from '@/i18n';
import { pseudoCatalogue } from '@/i18n/pseudo';
import { violations } from '../../test/axe';
import { arm, openWindow, settle } from '../../test/render';

const BUSY: Partial<Snapshot> = {
  phase: 'calls',
  items: Object.values(wireItems).map((item, at) => ({ ...item, seq: at + 1 })),
  todos: [{ id: '1', content: 'x', status: 'in_progress' }],
  todos_updated_at: 1,
  queue: [{ id: 1, text: 'later', images: [], delivery: 'after' }],
  shells: [shell({ state: 'completed', exit_code: 0 })],
  meters: {
    tok_in: 1,
    tok_out: 1,
    tok_cache_read: 1,
    tok_cache_write: 0,
    cost_micros: 1,
    context_used: 9,
    context_window: 10,
    context_auto: 8,
  },
};

describe('people with assistive technology', () => {
  it('can use the first run', async () => {
    const window = await openWindow({ settings: { first_run_done: false } });
    expect(await violations()).toEqual([]);
    fireEvent.click(window.get('first-next'));
    await settle();
    fireEvent.click(window.get('first-provider-own'));
    expect(await violations()).toEqual([]);
    fireEvent.click(window.get('first-skip'));
    await settle();
    expect(await violations()).toEqual([]);
  });

  it('can use a session in the middle of its work, with every card open', async () => {
    const window = await openWindow({ snapshot: BUSY });
    for (const toggle of window.all('tool-toggle')) fireEvent.click(toggle);
    await settle();
    expect(await violations()).toEqual([]);
  });

  it.each(Object.entries(wireAsks))('can answer a question: %s', async (_kind, ask) => {
    const window = await openWindow({
      snapshot: { ...BUSY, asks: [ask], summary: summary({ state: 'waiting' }) },
    });
    await arm();
    if (ask.preview.kind === 'edit' || ask.preview.kind === 'write')
      await window.find('diff-editor', { state: 'ready' });
    expect(await violations()).toEqual([]);
  });

  it('can review a change', async () => {
    const window = await openWindow({ snapshot: { ...BUSY, asks: [editAsk('c1', 'a\nb\n', 'a\nB\n')] } });
    fireEvent.click(window.get('confirm-expand'));
    await window.find('review-pane');
    await window.find('diff-editor', { state: 'ready' });
    expect(await violations()).toEqual([]);
  });

  it('can see the changes in the workspace, and revert one', async () => {
    const window = await openWindow({ prepare: withChanges });
    fireEvent.click(window.get('wsdiff-open'));
    await window.find('wsdiff-file', { key: 'src/parser.rs' });
    await window.find('wsdiff-revert-hunk', { key: '0' });
    expect(await violations()).toEqual([]);
    fireEvent.click(window.get('wsdiff-revert'));
    await window.find('revert-confirm');
    expect(await violations()).toEqual([]);
  });

  it('can go back to a message', async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'hi')] }, prepare: withChanges });
    fireEvent.click(window.get('msg-rewind'));
    await window.find('rewind-confirm');
    expect(await violations()).toEqual([]);
    fireEvent.click(window.get('rewind-confirm'));
    await window.find('rewind-bar');
    expect(await violations()).toEqual([]);
  });

  it.each(['merge', 'versions'])(
    'can compare and merge a file that somebody else changed: %s',
    async (view) => {
      const edited = toolItem(2, { call_id: 'c2', name: 'edit', edit: { state: 'landed', by: null } });
      const window = await openWindow({ snapshot: { items: [edited] } });
      window.backend.changes.conflicts = { files: [fileConflict('a.rs')] };
      window.backend.refuseOnce('undo_edit', { code: 'UNDO_CONFLICT', message: '', args: [] });
      fireEvent.click(window.get('tool-toggle'));
      await settle();
      fireEvent.click(await window.find('tool-undo'));
      fireEvent.click(await window.find('tool-compare'));
      await window.find('conflict-file');
      fireEvent.click(window.get('conflict-view').querySelector(`input[value=${view}]`)!);
      await settle();
      expect(await violations()).toEqual([]);
    },
  );

  it('can read whose lines they are', async () => {
    const window = await openWindow({ prepare: withChanges });
    act(() => {
      window.workbench.ui.setState({ panelOpen: true, panelTab: 'changes' });
    });
    await window.find('authors-total');
    expect(await violations()).toEqual([]);
  });

  it.each(['general', 'appearance', 'language', 'models', 'terminal', 'keys'] as const)(
    'can use the settings: %s',
    async (name) => {
      const window = await openWindow();
      act(() => {
        window.workbench.ui.setState({ route: { name: 'settings' } });
      });
      fireEvent.click(await window.find(`settings-nav-${name}`));
      await settle();
      expect(await violations()).toEqual([]);
    },
  );

  it('can read the keys', async () => {
    const window = await openWindow();
    fireEvent.click(window.get('app-help'));
    await window.find('help-close');
    expect(await violations()).toEqual([]);
  });

  it('find landmarks, one heading of the first order, and a way to the message field', async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'hi'), toolItem(2)] } });
    for (const role of ['banner', 'navigation', 'main', 'contentinfo']) {
      expect(window.getAllByRole(role), role).toHaveLength(1);
    }
    expect(document.querySelectorAll('h1')).toHaveLength(1);
    expect(window.getByRole('log')).toHaveAttribute('aria-live', 'off');
    fireEvent.click(window.get('app-skip'));
    expect(document.activeElement).toBe(window.get('composer-input'));
    expect(window.get('msg-row', { key: '1' }).getAttribute('aria-label')).toMatch(/^You, \d\d:\d\d$/);
  });
});

function withChanges(backend: FakeBackend): void {
  backend.changes = demoChanges();
}

describe('every text comes from the catalogue', () => {
  beforeAll(() => {
    addCatalogue('en', pseudoCatalogue());
  });

  /** What is said in every language, or comes from elsewhere. */
  const FROM_ELSEWHERE =
    /^[\s\d\p{P}\p{S}]*$|Ctrl|Esc|Tab|F\d|Home|End|Delete|Page|Space|Shift|Alt|^[A-Z↑↓]$/u;

  function foreign(root: ParentNode): string[] {
    const found: string[] = [];
    for (const element of root.querySelectorAll<HTMLElement>(
      'button, label, h1, h2, h3, legend, dt, [aria-label], [placeholder], [title]',
    )) {
      const own = [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent ?? '');
      const texts = [
        ...own,
        element.getAttribute('aria-label') ?? '',
        element.getAttribute('placeholder') ?? '',
      ];
      for (const text of texts) {
        if (text.trim() !== '' && !text.includes('[') && !text.includes(']') && !FROM_ELSEWHERE.test(text))
          found.push(text);
      }
    }
    return found;
  }

  it('in the first run and in the settings', async () => {
    const window = await openWindow({ settings: { first_run_done: false, recent_workspaces: [] } });
    expect(foreign(document)).toEqual([]);
    window.unmount();
    const second = await openWindow();
    act(() => {
      second.workbench.ui.setState({ route: { name: 'settings' } });
    });
    const settings = await second.find('settings');
    expect(foreign(settings)).toEqual([]);
  });

  it('in the changes of the workspace', async () => {
    const window = await openWindow({ prepare: withChanges });
    fireEvent.click(window.get('wsdiff-open'));
    await window.find('wsdiff-revert-hunk', { key: '0' });
    expect(foreign(window.get('wsdiff-refresh').parentElement ?? document)).toEqual([]);
    fireEvent.click(window.get('wsdiff-revert'));
    await window.find('revert-confirm');
    expect(foreign(window.get('revert-confirm').parentElement ?? document)).toEqual([]);
  });

  it('in an approval', async () => {
    const window = await openWindow({ snapshot: { phase: 'calls', asks: [editAsk('c1', 'a\n', 'b\n')] } });
    await window.find('diff-editor', { state: 'ready' });
    expect(foreign(window.get('confirm-dock'))).toEqual([]);
  });
});
