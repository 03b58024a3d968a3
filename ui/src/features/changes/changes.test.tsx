import { act, fireEvent } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { WorkspaceDiffState } from '@/bindings';
import { editAsk, fileDiff, item, toolItem, userItem, WORKSPACE } from '@/dev/builders';
import { demoChanges, fileConflict, rewindFile } from '@/dev/changes';
import { whenIdle } from '@/lib/activity';
import { openWindow, selector, settle, type TestWindow } from '../../../test/render';

const EDITED = toolItem(2, {
  call_id: 'c2',
  name: 'edit',
  tool_kind: 'edit',
  subject: 'src/parser.rs',
  edit: { state: 'landed', by: null },
  display: { kind: 'file_diff', diff: fileDiff('a\n', 'b\n', { unified_diff: '@@ -1 +1 @@\n-a\n+b\n' }) },
});

async function press(element: Element): Promise<void> {
  await act(async () => {
    fireEvent.click(element);
    await whenIdle();
  });
  await settle();
}

async function openChanges(prepare: (window: TestWindow) => void = () => undefined): Promise<TestWindow> {
  const window = await openWindow({ snapshot: { items: [userItem(1, 'Fix it'), EDITED] } });
  window.backend.changes = demoChanges();
  prepare(window);
  fireEvent.keyDown(document.body, { key: 'D', code: 'KeyD', ctrlKey: true, shiftKey: true });
  await window.find('wsdiff');
  await act(() => whenIdle());
  await settle();
  return window;
}

const counts = (root: ParentNode) =>
  Object.fromEntries(
    [...root.querySelectorAll<HTMLElement>(selector('wsdiff-stat'))].map((part): [string, number[]] => [
      part.dataset.key ?? '',
      [part.dataset.added, part.dataset.removed].map(Number),
    ]),
  );

describe('the workspace diff', () => {
  it('asks for nothing before it is opened', async () => {
    const window = await openWindow({ snapshot: { items: [EDITED] } });
    expect(window.backend.requests('workspace_diff')).toEqual([]);
  });

  it('opens by /diff, sends nothing, and compares with the last commit', async () => {
    const window = await openWindow();
    const field = window.get('composer-input');
    fireEvent.change(field, { target: { value: '/diff' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    await window.find('wsdiff');
    expect(window.backend.requests('send')).toEqual([]);
    expect(window.backend.requests('workspace_diff')).toEqual([
      { workspace: WORKSPACE, session_id: 's1', scope: 'head' },
    ]);
  });

  it('lists files with the lines of everybody, and says what is left out', async () => {
    const window = await openChanges();
    const parser = window.get('wsdiff-file', { key: 'src/parser.rs' });
    expect(counts(parser)).toEqual({ ai: [12, 3], human: [2, 1], other: [1, 0] });
    expect(window.get('wsdiff-file', { key: 'assets/logo.png' }).dataset.kind).toBe('binary');
    const note = window.get('wsdiff-limit-note', { key: 'files_listed' });
    expect([note.dataset.value, note.dataset.count]).toEqual(['50', '63']);
    expect(note.textContent).toBe('Showing 50 of 63 files');
    expect(window.get('wsdiff-limit-note', { key: 'lines_shown' }).textContent).toContain('400 of 612');
  });

  it('loads one file at a time and marks whose each line is', async () => {
    const window = await openChanges();
    expect(window.backend.requests('workspace_file_diff').map(({ path }) => path)).toEqual([
      `${WORKSPACE}/src/parser.rs`,
    ]);
    const added = [...document.querySelectorAll<HTMLElement>('.unified-line[data-kind=added]')];
    expect(added.map((line) => line.dataset.owner)).toEqual(['ai', 'human', 'other']);
    await press(window.get('wsdiff-file', { key: 'assets/logo.png' }));
    expect(window.backend.requests('workspace_file_diff')).toHaveLength(2);
    expect(document.querySelectorAll('.unified-line')).toHaveLength(0);
  });

  it('is walked with the arrow keys', async () => {
    const window = await openChanges();
    const first = window.get('wsdiff-file', { key: 'src/parser.rs' });
    first.focus();
    await act(async () => {
      fireEvent.keyDown(first, { key: 'ArrowDown' });
      await whenIdle();
    });
    expect((document.activeElement as HTMLElement).dataset.key).toBe('src/lexer.rs');
    expect(window.get('wsdiff-file', { key: 'src/lexer.rs' }).getAttribute('aria-selected')).toBe('true');
  });

  it.each<[WorkspaceDiffState, string]>([
    ['no_repository', 'no git repository'],
    ['git_missing', 'no git program'],
    ['merge', 'merge is under way'],
    ['rebase', 'rebase is under way'],
    ['cherry_pick', 'cherry-pick is under way'],
    ['revert', 'revert is under way'],
    ['timeout', 'too long'],
  ])('says why there is no list: %s', async (state, words) => {
    const window = await openChanges(({ backend }) => {
      backend.changes.diff = { ...backend.changes.diff, state, files: [], total_files: 0 };
    });
    const empty = window.get('wsdiff-empty');
    expect(empty.dataset.state).toBe(state);
    expect(empty.textContent).toContain(words);
  });

  it('looks again when a call has changed something, and when asked', async () => {
    const window = await openChanges();
    act(() => {
      window.session.emit({ type: 'item_added', item: { ...EDITED, seq: 9 } });
    });
    await act(() => new Promise((resolve) => setTimeout(resolve, 350)));
    await act(() => whenIdle());
    expect(window.backend.requests('workspace_diff')).toHaveLength(2);
    await press(window.get('wsdiff-refresh'));
    expect(window.backend.requests('workspace_diff')).toHaveLength(3);
  });

  it('says what a revert costs, reverts what was shown, and can be undone', async () => {
    const window = await openChanges();
    await press(window.get('wsdiff-revert'));
    const lost = window.get('revert-lost').textContent;
    expect(lost).toContain('By AI: 12 lines added, 3 lines removed');
    expect(lost).toContain('By you: 2 lines added, 1 line removed');
    expect(document.activeElement).toBe(window.get('revert-cancel'));
    await press(window.get('revert-confirm'));
    expect(window.backend.requests('revert_file')).toMatchObject([
      { path: `${WORKSPACE}/src/parser.rs`, hunk: null, scope: 'head', current_hash: 'h1', session_id: 's1' },
    ]);
    await press(window.get('toast-action'));
    expect(window.backend.requests('undo_edit')).toMatchObject([{ call_id: 'call-of-the-revert' }]);
  });

  it('reverts one change of a file', async () => {
    const window = await openChanges();
    await press(window.get('wsdiff-revert-hunk', { key: '1' }));
    expect(window.get('revert-lost').textContent).toBe('By neither of you: 1 line');
    await press(window.get('revert-confirm'));
    expect(window.backend.requests('revert_file')).toMatchObject([{ hunk: 1 }]);
  });

  it('keeps the dialog open with the reason when the file changed meanwhile', async () => {
    const window = await openChanges();
    window.backend.refuseOnce('revert_file', { code: 'FILE_CHANGED', message: '', args: [] });
    await press(window.get('wsdiff-revert'));
    await press(window.get('revert-confirm'));
    expect(document.querySelector('[role=alert]')?.textContent).toContain('changed since it was shown');
    expect(window.none('revert-confirm')).toBe(false);
  });
});

describe('undoing an edit that landed', () => {
  const open = async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'Fix it'), EDITED] } });
    await press(window.get('tool-toggle'));
    return window;
  };

  it('takes it back, offers the opposite, and does it again', async () => {
    const window = await open();
    await press(window.get('tool-undo'));
    expect(window.backend.requests('undo_edit')).toMatchObject([{ session_id: 's1', call_id: 'c2' }]);
    expect(window.get('tool-undone').textContent).toBe('taken back');
    expect(window.get('toast').textContent).toContain('parser.rs');
    await press(window.get('tool-redo'));
    expect(window.backend.requests('redo_edit')).toMatchObject([{ call_id: 'c2' }]);
    expect(window.none('tool-undone')).toBe(true);
  });

  it.each([
    ['UNDO_CONFLICT', 'changed since'],
    ['BACKUP_MISSING', 'no longer kept'],
  ] as const)('says beside the button why not: %s', async (code, words) => {
    const window = await open();
    window.backend.changes.putBack = {
      paths: [],
      failures: [{ path: '/x', display_path: 'src/parser.rs', code, message: 'English' }],
      undo: null,
    };
    await press(window.get('tool-undo'));
    const error = window.get('tool-undo-error');
    expect(error.dataset.value).toBe(code);
    expect(error.textContent).toContain('src/parser.rs');
    expect(error.textContent).toContain(words);
  });

  it('shows what is in the way, and merges only what was shown', async () => {
    const window = await open();
    window.backend.changes.conflicts = { files: [fileConflict('src/parser.rs')] };
    window.backend.refuseOnce('undo_edit', { code: 'UNDO_CONFLICT', message: '', args: ['src/parser.rs'] });
    await press(window.get('tool-undo'));
    await press(window.get('tool-compare'));
    await window.find('conflict-file', { key: 'src/parser.rs', value: 'merge' });
    const shown = window.get('conflict-dialog');
    expect([...shown.querySelectorAll('.unified-line[data-kind]')].map((line) => line.textContent)).toContain(
      '3+added: two',
    );
    await vi.waitFor(() => expect(document.activeElement).toBe(window.get('conflict-cancel')));
    await press(window.get('conflict-view').querySelector('input[value=versions]')!);
    const kinds = (key: string) =>
      [...window.get('conflict-side', { key }).querySelectorAll<HTMLElement>('.unified-line')].map(
        (line) => line.dataset.kind,
      );
    expect(kinds('before')).toEqual(['same', 'removed', 'same']);
    expect(kinds('after')).toEqual(['same', 'added', 'same']);
    expect(kinds('current')).toEqual(['added', 'same', 'same', 'same']);

    window.backend.refuseOnce('undo_merged', { code: 'FILE_CHANGED', message: '', args: [] });
    await press(window.get('conflict-merge'));
    expect(shown.querySelector('[role=alert]')?.textContent).toContain('changed since it was shown');
    await press(window.get('conflict-again'));
    expect(window.backend.requests('undo_conflict')).toHaveLength(2);
    await press(window.get('conflict-merge'));
    expect(window.backend.requests('undo_merged').at(-1)).toMatchObject({
      what: { kind: 'undo', call_id: 'c2' },
      files: [{ path: `${WORKSPACE}/src/parser.rs`, current_hash: 'now', merged_hash: 'merged' }],
    });
    expect(window.none('conflict-dialog')).toBe(true);
    expect(window.none('tool-undo-error')).toBe(true);
    expect(window.get('tool-undone').textContent).toBe('taken back');
  });

  it('only shows what cannot be merged', async () => {
    const window = await open();
    const conflict = fileConflict('src/parser.rs', { merge: null, problem: 'touching' });
    window.backend.changes.conflicts = { files: [{ ...conflict, current: { state: 'absent', text: '' } }] };
    window.backend.refuseOnce('undo_edit', { code: 'UNDO_CONFLICT', message: '', args: [] });
    await press(window.get('tool-undo'));
    await press(window.get('tool-compare'));
    expect((await window.find('conflict-problem')).dataset.value).toBe('touching');
    expect(window.none('conflict-merge')).toBe(true);
    expect(window.get('conflict-side', { key: 'current' }).dataset.state).toBe('absent');
    await press(window.get('conflict-copy', { key: 'before' }));
    expect(navigator.clipboard.writeText).toHaveBeenCalledWith('one\ntwo\nthree\n');
  });

  it('waits until the turn has ended', async () => {
    const window = await openWindow({
      snapshot: { phase: 'calls', items: [EDITED], asks: [editAsk('c9', 'a\n', 'b\n')] },
    });
    await press(window.get('tool-toggle'));
    expect((window.get('tool-undo') as HTMLButtonElement).disabled).toBe(true);
  });
});

describe('what another program wrote too late', () => {
  const notice = (args: string[]) =>
    openWindow({
      snapshot: {
        items: [EDITED, item(3, { kind: 'notice', code: 'late_write_saved', text: 'English.', args })],
      },
    });

  it('is put into the file, and that can be undone', async () => {
    const window = await notice(['/w/a.txt', 'hash', 'late_write_1']);
    expect(document.querySelector('.notice')?.textContent).toContain('Another program wrote to /w/a.txt');
    await press(window.get('msg-put-in'));
    expect(window.backend.requests('undo_edit')).toMatchObject([
      { session_id: 's1', call_id: 'late_write_1' },
    ]);
    expect(window.get('toast').textContent).toContain('Put in');
    expect(window.none('msg-put-in')).toBe(true);
  });

  it('says why it is not put in', async () => {
    const window = await notice(['/w/a.txt', 'hash', 'late_write_1']);
    window.backend.refuseOnce('undo_edit', { code: 'UNDO_CONFLICT', message: '', args: [] });
    await press(window.get('msg-put-in'));
    expect(window.get('tool-undo-error').dataset.value).toBe('UNDO_CONFLICT');
    expect(window.none('tool-compare')).toBe(false);
  });

  it('is only said where an earlier version kept no more of it', async () => {
    const window = await notice([]);
    expect(document.querySelector('.notice')?.textContent).toContain('English.');
    expect(window.none('msg-put-in')).toBe(true);
  });
});

describe('going back to before a message', () => {
  const open = async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'Fix it'), EDITED] } });
    window.backend.changes.plan = {
      messages: 3,
      turns: 1,
      files: [
        rewindFile('a.rs'),
        rewindFile('new.rs', { action: 'delete' }),
        rewindFile('theirs.rs', { action: 'conflict' }),
        rewindFile('lost.rs', { action: 'cannot' }),
      ],
    };
    await press(window.get('msg-rewind'));
    return window;
  };
  const isOn = (window: TestWindow, file: string) =>
    (window.get('rewind-file-on', { key: file }) as HTMLInputElement).checked;

  it('chooses both, without files that somebody else changed, and takes the safe button first', async () => {
    const window = await open();
    expect(window.get('rewind-dialog').dataset.value).toBe('both');
    expect(['a.rs', 'new.rs', 'theirs.rs', 'lost.rs'].map((file) => isOn(window, file))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect((window.get('rewind-file-on', { key: 'lost.rs' }) as HTMLInputElement).disabled).toBe(true);
    // The dialog moves the focus once it is drawn.
    await vi.waitFor(() => expect(document.activeElement).toBe(window.get('rewind-cancel')));
    expect(window.get('rewind-confirm').textContent).toBe('Take back 3 messages and 2 files');
    expect(window.get('rewind-dialog').textContent).toContain('shell commands');
  });

  it('sends what was chosen, gives the words back, and offers to undo until the next message', async () => {
    const window = await open();
    await press(window.get('rewind-file-on', { key: 'theirs.rs' }));
    await press(window.get('rewind-file-on', { key: 'new.rs' }));
    await press(window.get('rewind-confirm'));
    expect(window.backend.requests('rewind')).toMatchObject([
      {
        seq: 1,
        what: 'both',
        files: [{ path: `${WORKSPACE}/a.rs` }, { path: `${WORKSPACE}/theirs.rs`, current_hash: 'now' }],
      },
    ]);
    expect((window.get('composer-input') as HTMLTextAreaElement).value).toBe('Fix it');
    expect(window.get('rewind-bar').dataset.count).toBe('2');
    act(() => {
      window.session.emit({ type: 'item_added', item: userItem(20, 'Another way') });
    });
    await settle();
    expect(window.none('rewind-bar')).toBe(true);
  });

  it('merges a file that somebody else changed, if that is chosen', async () => {
    const window = await open();
    window.backend.changes.conflicts = { files: [fileConflict('theirs.rs')] };
    await press(window.get('rewind-compare', { key: 'theirs.rs' }));
    await window.find('conflict-file');
    expect(window.backend.requests('undo_conflict')).toEqual([
      { session_id: 's1', what: { kind: 'rewind', seq: 1 }, path: `${WORKSPACE}/theirs.rs` },
    ]);
    await press(window.get('conflict-merge'));
    expect(window.none('conflict-dialog')).toBe(true);
    expect(window.get('rewind-file', { key: 'theirs.rs' }).dataset.state).toBe('merge');
    expect(isOn(window, 'theirs.rs')).toBe(true);
    await press(window.get('rewind-confirm'));
    expect(window.backend.requests('rewind')[0]?.files).toContainEqual({
      path: `${WORKSPACE}/theirs.rs`,
      current_hash: 'now',
      merged_hash: 'merged',
    });
  });

  it('is undone from the bar', async () => {
    const window = await open();
    await press(window.get('rewind-confirm'));
    await press(window.get('rewind-undo'));
    expect(window.backend.requests('undo_rewind')).toMatchObject([{ session_id: 's1' }]);
    expect(window.none('rewind-bar')).toBe(true);
  });

  it('is offered to be undone after the window was opened again', async () => {
    const window = await openWindow({
      snapshot: { items: [userItem(1, 'Fix it'), EDITED] },
      prepare: ({ changes }) => {
        changes.rewindOffer = { can_undo: true, files: 2, seq: 9 };
      },
    });
    expect((await window.find('rewind-bar')).dataset.count).toBe('2');
    act(() => {
      window.session.emit({ type: 'item_added', item: userItem(10, 'Another way') });
    });
    await settle();
    expect(window.none('rewind-bar')).toBe(true);
  });

  it('leaves the files alone if only the conversation goes', async () => {
    const window = await open();
    await press(window.get('rewind-what').querySelector('input[value=conversation]')!);
    expect(window.none('rewind-file')).toBe(true);
    await press(window.get('rewind-confirm'));
    expect(window.backend.requests('rewind')).toMatchObject([{ what: 'conversation', files: [] }]);
  });

  it('is offered in the header too', async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'Fix it')] } });
    fireEvent.click(window.get('session-rewind'));
    await press(await window.find('session-rewind-item', { key: '1' }));
    expect(window.workbench.ui.getState().rewindTo).toBe(1);
  });
});

describe('whose lines a session wrote', () => {
  it('is counted when the panel is shown', async () => {
    const window = await openWindow({ snapshot: { items: [EDITED] } });
    window.backend.changes = demoChanges();
    expect(window.backend.requests('authorship')).toEqual([]);
    act(() => {
      window.workbench.ui.setState({ panelOpen: true, panelTab: 'changes' });
    });
    await act(() => whenIdle());
    await settle();
    const total = window.get('authors-total');
    expect([total.dataset.ai, total.dataset.human]).toEqual(['52', '2']);
    expect(total.textContent).toContain('AI 52 lines');
    expect(window.get('authors-file', { key: 'src/lexer.rs' }).dataset.ai).toBe('40');
  });
});

it('draws no files where nothing changed', async () => {
  const window = await openChanges(({ backend }) => {
    backend.changes.diff = { ...backend.changes.diff, files: [], total_files: 0, cut: [] };
  });
  expect(window.get('wsdiff-empty').dataset.state).toBe('empty');
});
