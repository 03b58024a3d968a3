import { redo, undo } from '@codemirror/commands';
import { EditorView } from '@codemirror/view';
import { act, cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { fileDiff } from '@/dev/builders';
import { whenIdle } from '@/lib/activity';
import { diffStat } from '@/lib/diff';
import { probe } from '@/lib/probes';
import { readCase } from '../../../test/cases';
import DiffEditor, { type DiffEditorHandle } from './DiffEditor';
import { lineChanges } from './editor/views';
import { Proposal } from './proposal';

let proposal: Proposal;
let handle: DiffEditorHandle | null = null;

afterEach(() => {
  proposal.close();
});

interface Options {
  text?: string;
  mode?: 'unified' | 'split';
}

async function open(base: string, ai: string, { text, mode = 'unified' }: Options = {}): Promise<EditorView> {
  proposal = new Proposal('p1', fileDiff(base, ai), text ?? null);
  const { container } = render(
    <DiffEditor
      ref={(made) => {
        handle = made;
      }}
      proposal={proposal}
      name="c1"
      editable="editable"
      mode={mode}
      bars="below"
      wrap="scroll"
      blanks="changed"
    />,
  );
  await fresh();
  const box = container.querySelector<HTMLElement>(mode === 'split' ? '.cm-merge-b' : '.cm-editor');
  const view = box ? EditorView.findFromDOM(box) : null;
  if (!view) throw new Error('no editor');
  return view;
}

/** Waits until the numbers are those of the text. */
async function fresh(): Promise<void> {
  await act(async () => {
    await whenIdle();
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

function type(from: number, to: number, text: string): void {
  act(() => {
    probe('editorSet:c1')?.(from, to, text);
  });
}

/** Lets the editor do what it put off to the next frame. */
async function frame(): Promise<void> {
  await act(() => new Promise((resolve) => setTimeout(resolve, 40)));
}

const bars = () => [...document.querySelectorAll<HTMLElement>('[data-testid=diff-hunk]')];
const pressed = (bar: HTMLElement | undefined, id: string) => {
  const button = bar?.querySelector(`[data-testid=${id}]`);
  if (!button) throw new Error(`no ${id}`);
  act(() => {
    fireEvent.click(button);
  });
};

describe('the text in the editor', () => {
  it.each([
    ['a lone CR', 'a\rb\nc\n', 'a\rb\nC\n'],
    ['no final line end', 'a\nb', 'a\nB'],
    ['a final line end that came', 'a\nb', 'a\nb\n'],
    ['line and paragraph separators', 'a\u2028b\u2029c\n', 'a\u2028b\u2029d\n'],
    ['form feeds and NEL', 'a\u000cb\u0085\n', 'a\u000cb\u0085c\n'],
    ['blanks at line ends and tabs', 'a \t\n', 'a \t\nb\t \n'],
    ['nothing', '', 'x\n'],
    ['an emptied file', 'x\n', ''],
    ['zero-width and bidirectional characters', 'a\u200b\u202eb\n', 'a\u200b\u202ec\n'],
  ])('is exactly the proposal: %s', async (_name, base, ai) => {
    const view = await open(base, ai);
    expect(view.state.doc.toString()).toBe(ai);
    expect(probe('editorText:c1')?.('after')).toBe(ai);
    type(0, 0, 'x');
    expect(proposal.store.getState().text).toBe(`x${ai}`);
    act(() => {
      undo(view);
    });
    expect(proposal.store.getState().text).toBe(ai);
  });

  it('goes on with text and undo history where another view left it', async () => {
    await open('a\nb\n', 'a\nB\n');
    type(0, 1, 'A');
    cleanup();
    const { container } = render(
      <DiffEditor
        proposal={proposal}
        name="c1"
        editable="editable"
        mode="split"
        bars="below"
        wrap="wrap"
        blanks="all"
      />,
    );
    await fresh();
    const box = container.querySelector<HTMLElement>('.cm-merge-b');
    const view = box ? EditorView.findFromDOM(box) : null;
    if (!view) throw new Error('no editor');
    expect(view.state.doc.toString()).toBe('A\nB\n');
    act(() => {
      undo(view);
    });
    expect(view.state.doc.toString()).toBe('a\nB\n');
  });
});

describe('whose lines they are', () => {
  it('is shown beside each line and equals the numbers', async () => {
    await open('a\nb\nc\nd\n', 'a\nb1\nb2\nb3\nd\n', { text: 'a\nb1\nhuman\nd\ntail\n' });
    const marks = [...document.querySelectorAll('.diff-gutter-owner .diff-mark')].map(
      (mark) => mark.textContent,
    );
    const { net } = proposal.store.getState().stat;
    expect(marks.filter((mark) => mark === 'AI').length - 1, 'one is the spacer').toBe(net.ai_added);
    expect(marks.filter((mark) => mark.startsWith('✎'))).toHaveLength(net.human_added);
    expect(marks).toContain('✎−2');
    expect(document.querySelectorAll('.diff-line-human')).toHaveLength(2);
  });

  it('is the person’s at the first letter, before anything is counted', async () => {
    const view = await open('a\nb\n', 'a\nB\n');
    type(3, 3, '!');
    expect(proposal.store.getState().statState).toBe('pending');
    expect(view.dom.querySelectorAll('.diff-line-human')).toHaveLength(1);
    await fresh();
    expect(proposal.store.getState()).toMatchObject({ statState: 'fresh', touched: true });
    expect(proposal.store.getState().stat).toEqual(diffStat('a\nb\n', 'a\nB\n', 'a\nB!\n'));
  });

  it('stays counted after the change was taken back', async () => {
    const view = await open('a\nb\n', 'a\nB\n');
    type(3, 3, '!');
    act(() => {
      undo(view);
    });
    await fresh();
    expect(proposal.store.getState().touched).toBe(true);
    expect(proposal.store.getState().stat.net.human_added).toBe(0);
  });

  interface StatCase {
    id: string;
    old: string;
    ai: string;
    final: string;
    expect: object;
  }
  const cases = (JSON.parse(readCase('edit-cases.json')) as { diff_stat_cases: StatCase[] }).diff_stat_cases;
  const lf = (text: string) => text.replaceAll('\r\n', '\n');

  it.each(cases)('$id, typed into the editor', async ({ old, ai, final, expect: expected }) => {
    await open(lf(old), lf(ai));
    type(0, lf(ai).length, lf(final));
    await fresh();
    expect(proposal.store.getState().stat).toMatchObject(expected);
  });
});

describe('the buttons of a change', () => {
  const BASE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
  const AI = 'one\nTWO\nthree\nfour\nfive\nsix\nSEVEN\neight\n';

  it('give it back to the text before, and can be undone', async () => {
    const view = await open(BASE, AI);
    await frame();
    expect(bars()).toHaveLength(2);
    pressed(bars()[0], 'hunk-revert-original');
    expect(view.state.doc.toString()).toBe(AI.replace('TWO', 'two'));
    await frame();
    expect(bars()).toHaveLength(1);
    act(() => {
      undo(view);
    });
    expect(view.state.doc.toString()).toBe(AI);
    act(() => {
      redo(view);
    });
    expect(view.state.doc.toString()).toBe(AI.replace('TWO', 'two'));
  });

  it('give it back to the AI, and leave the other changes alone', async () => {
    const view = await open(BASE, AI);
    type(4, 7, 'Zwei');
    type(view.state.doc.length, view.state.doc.length, 'nine\n');
    await fresh();
    await frame();
    expect(bars().map((bar) => bar.dataset.value)).toEqual(['human', 'ai', 'human']);
    pressed(bars()[0], 'hunk-restore-ai');
    expect(view.state.doc.toString()).toBe(`${AI}nine\n`);
  });

  it('answer to o and a while they have the focus', async () => {
    const view = await open(BASE, AI);
    await frame();
    const button = bars()[1]?.querySelector('button');
    act(() => {
      fireEvent.keyDown(button ?? document.body, { key: 'o' });
    });
    expect(view.state.doc.toString()).toBe(AI.replace('SEVEN', 'seven'));
  });

  it.each([
    ['lines in the middle', BASE, AI, AI.replace('SEVEN\n', 'mine\nand mine\n')],
    ['a final line end', 'a\nb', 'a\nB', 'a\nB\n'],
    ['an emptied file', BASE, AI, ''],
  ])('undo my edits is one change: %s', async (_name, base, ai, final) => {
    const view = await open(base, ai);
    type(0, view.state.doc.length, final);
    act(() => {
      handle?.undoEdits();
    });
    expect(view.state.doc.toString()).toBe(ai);
    act(() => {
      undo(view);
    });
    expect(view.state.doc.toString()).toBe(final);
  });

  it.each([
    ['lines that were added at the end', 'a\n', 'a\nb\n'],
    ['lines that were removed at the end', 'a\nb\n', 'a\n'],
    ['the last line without an end', 'a\nb', 'a\nB'],
    ['all lines', 'a\nb\n', ''],
    ['a new file', '', 'a\nb\n'],
    ['the first line', 'a\nb\n', 'b\n'],
  ])('bring back %s', async (_name, base, ai) => {
    const view = await open(base, ai);
    await frame();
    expect(bars()).toHaveLength(1);
    pressed(bars()[0], 'hunk-revert-original');
    expect(view.state.doc.toString()).toBe(base);
  });
});

describe('moving through changes', () => {
  const lines = (change: (at: number) => string) =>
    `${Array.from({ length: 60 }, (_, at) => change(at)).join('\n')}\n`;
  const BASE = lines((at) => `line ${at}`);
  const AI = lines((at) => (at === 20 || at === 40 ? `LINE ${at}` : `line ${at}`));

  it('goes around, and hides what did not change', async () => {
    const view = await open(BASE, AI);
    const lineOfCursor = () => view.state.doc.lineAt(view.state.selection.main.head).number;
    const visited: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      act(() => handle?.next());
      visited.push(lineOfCursor());
    }
    act(() => handle?.previous());
    expect([...visited, lineOfCursor()]).toEqual([21, 41, 21, 41]);
    expect(document.querySelectorAll('[data-testid=diff-collapsed]').length).toBeGreaterThanOrEqual(2);
  });

  it('shows hidden lines on request, some or all', async () => {
    await open(BASE, AI);
    const hidden = () =>
      [...document.querySelectorAll<HTMLElement>('[data-testid=diff-collapsed]')].map((bar) =>
        Number(bar.dataset.count),
      );
    const before = hidden();
    expect(before[0]).toBe(17);
    fireEvent.click(document.querySelector('[data-testid=diff-collapsed]') ?? document.body);
    await frame();
    expect(hidden()).toEqual(before.slice(1));
  });
});

describe('two columns', () => {
  it('compare by lines', () => {
    const changes = lineChanges('a\nb\nc\n', 'a\nB\nc\nd\n').map(({ fromA, toA, fromB, toB }) => [
      fromA,
      toA,
      fromB,
      toB,
    ]);
    expect(changes).toEqual([
      [2, 4, 2, 4],
      [6, 6, 6, 8],
    ]);
  });

  it('hold the same text on the right', async () => {
    const view = await open('a\nb\n', 'a\nB\n', { mode: 'split' });
    type(0, 1, 'A');
    expect(view.state.doc.toString()).toBe('A\nB\n');
    expect(proposal.store.getState().text).toBe('A\nB\n');
    expect(document.querySelectorAll('.diff-line-removed').length).toBe(2);
  });
});
