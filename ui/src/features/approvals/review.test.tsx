import { act, fireEvent } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Ask, FileDiff, SavedOutside } from '@/bindings';
import { ask, editAsk, fileDiff } from '@/dev/builders';
import { whenIdle } from '@/lib/activity';
import { probe } from '@/lib/probes';
import { arm, openWindow, settle, type TestWindow } from '../../../test/render';

async function asked(question: Ask): Promise<TestWindow> {
  const window = await openWindow({ snapshot: { phase: 'calls', asks: [question] } });
  await arm();
  return window;
}

function withDiff(change: Partial<FileDiff>, more: Partial<Ask> = {}): Ask {
  return ask('c1', { kind: 'edit', diff: fileDiff('a\n', 'b\n', change) }, { tool: 'edit', ...more });
}

const warnings = () => [...document.querySelectorAll('.confirm-warnings li')].map((line) => line.textContent);

describe('what deserves a second look', () => {
  it.each([
    ['L1', []],
    ['L2', ['Found ignoring typographic forms of quotes, hyphens and blanks; unchanged characters are kept']],
    ['L3', ['Found ignoring blanks at the ends of lines']],
    ['L4', ['Found ignoring typographic characters and blanks at the ends of lines']],
    ['L5', ['Found without the line end at the end, which the file lacks']],
    ['L6', ['Found with the indentation of the file, which is not that of the model']],
    ['X2', ['Found by its first and last line; other lines between are kept']],
  ])('is how the place was found: %s', async (layer, said) => {
    await asked(withDiff({ layer }));
    expect(warnings()).toEqual(said);
  });

  it('says a reason once, not again as a layer', async () => {
    await asked(withDiff({ layer: 'L6' }, { confirm_reasons: ['indentation'] }));
    expect(warnings()).toEqual([
      'The place was found with another indentation than the model gave: look closely',
    ]);
  });

  it('is what cannot be seen in the text', async () => {
    await asked(withDiff({ bom: true, eol: 'crlf' }));
    const facts = document.querySelector('.confirm-facts')?.textContent;
    expect(facts).toContain('byte order mark');
    expect(facts).toContain('CRLF line ends');
  });
});

describe('a text that the encoding cannot hold', () => {
  it('keeps the card open, names the character, and selects it', async () => {
    const window = await asked(editAsk('c1', 'a\n', 'b\n'));
    await window.find('diff-editor', { state: 'ready' });
    act(() => probe('editorSet:c1')?.(0, 0, '\u4e2d'));
    window.backend.refuseOnce('decide', {
      code: 'ENCODING',
      message: 'English',
      args: ['windows-1252', '\u4e2d', '1', '1'],
    });
    await act(async () => {
      fireEvent.click(window.get('confirm-allow-once'));
      await whenIdle();
    });
    await settle();
    expect(window.get('confirm-card').dataset.state).toBe('blocked');
    expect(window.get('confirm-error').textContent).toContain(
      'windows-1252 cannot hold “\u4e2d” (line 1, column 1)',
    );
    expect(probe('editorText:c1')?.('after')).toBe('\u4e2db\n');
  });
});

describe('a cell of a notebook', () => {
  const cell = withDiff({
    display_path: 'plot.ipynb',
    layer: 'notebook',
    notebook: {
      mode: 'replace',
      number: 3,
      n_cells: 8,
      id: 'ab12cd34',
      cell_type: 'code',
      raw_diff: '@@ -1,1 +1,1 @@\n-   "a"\n+   "b"\n',
    },
  });

  it('has its own title and facts, and is edited as source', async () => {
    const window = await asked(cell);
    expect(window.get('confirm-card').dataset.kind).toBe('notebook_edit');
    expect(window.get('confirm-title').textContent).toBe('Edit of cell 3 needs your approval');
    const facts = window.get('notebook-cell').textContent;
    for (const part of ['Cell 3 of 8', 'code', 'id ab12cd34']) expect(facts).toContain(part);
    await window.find('diff-editor', { editable: 'true' });
    expect(warnings()).toEqual([]);
  });

  it('shows the JSON on request', async () => {
    const window = await asked(cell);
    fireEvent.click(window.get('notebook-view').querySelector('input[value=raw]')!);
    await settle();
    expect(window.get('diff-editor').dataset.editable).toBe('false');
    expect(window.get('diff-editor').textContent).toContain('"b"');
  });

  it('keeps its text when the person looks at the JSON in between', async () => {
    const window = await asked(cell);
    await window.find('diff-editor', { editable: 'true' });
    act(() => probe('editorSet:c1')?.(0, 0, 'mine '));
    for (const view of ['raw', 'source']) {
      fireEvent.click(window.get('notebook-view').querySelector(`input[value=${view}]`)!);
      await settle();
    }
    await window.find('diff-editor', { editable: 'true' });
    expect(probe('editorText:c1')?.('after')).toBe('mine b\n');
  });
});

describe('a change that is too large to edit', () => {
  const large = (lines: number) => {
    const diff = fileDiff('a\n', 'b\n');
    return { ...diff, stat: { ...diff.stat, model_added_lines: lines } };
  };

  it.each<[string, Partial<FileDiff>, string]>([
    ['above 1 MB', { new_text: null }, 'More than 1 MB'],
    ['of many lines', { stat: large(30_000).stat }, '30,001 changed lines, more than 20,000'],
  ])('says why, and can still be answered: %s', async (_name, change, words) => {
    const window = await asked(withDiff(change));
    expect(window.get('diff-limit-note').textContent).toContain(words);
    expect(window.none('confirm-expand')).toBe(true);
    fireEvent.click(window.get('confirm-allow-once'));
    await settle();
    expect(window.backend.requests('decide')).toMatchObject([{ decision: { kind: 'allow' } }]);
  });
});

describe('the review pane', () => {
  const lines = (change: (at: number) => string) =>
    `${Array.from({ length: 40 }, (_, at) => change(at)).join('\n')}\n`;
  const BASE = lines((at) => `line ${at}`);
  const AI = lines((at) => (at === 10 || at === 30 ? `LINE ${at}` : `line ${at}`));

  async function open(mode: 'unified' | 'split'): Promise<TestWindow> {
    const window = await asked(editAsk('c1', BASE, AI));
    fireEvent.click(window.get('confirm-expand'));
    await window.find('review-pane');
    fireEvent.click(window.get('review-mode').querySelector(`input[value=${mode}]`)!);
    await window.find('diff-editor', { state: 'ready', mode });
    await act(() => whenIdle());
    return window;
  }

  it.each(['unified', 'split'] as const)(
    'is edited in both layouts, and answered with that text: %s',
    async (mode) => {
      const window = await open(mode);
      for (const [at, letter] of ['L', 'I', 'N', 'E'].entries()) {
        act(() => probe('editorSet:c1')?.(at, at + 1, letter));
        await settle();
      }
      await act(() => whenIdle());
      expect(window.get('confirm-card').dataset.dirty).toBe('true');
      fireEvent.click(window.get('review-back'));
      await settle();
      expect(window.get('confirm-card').dataset.dirty).toBe('true');
      await arm();
      fireEvent.click(window.get('confirm-allow-once'));
      await settle();
      expect(window.backend.requests('decide')).toMatchObject([
        { decision: { kind: 'modify', final_text: AI.replace('line 0', 'LINE 0') } },
      ]);
    },
  );

  it('goes from change to change with its buttons', async () => {
    const window = await open('unified');
    fireEvent.click(window.get('diff-next'));
    fireEvent.click(window.get('diff-next'));
    await settle();
    fireEvent.click(window.get('diff-prev'));
    await act(() => new Promise((resolve) => setTimeout(resolve, 60)));
    const active = document.querySelector<HTMLElement>('[data-testid=diff-hunk][data-active=true]');
    expect(active?.dataset.key).toBe('0');
    const stops = [...document.querySelectorAll<HTMLElement>('[data-testid=hunk-revert-original]')].map(
      (button) => button.tabIndex,
    );
    expect(stops).toEqual([0, -1]);
  });
});

describe('edits that were reset', () => {
  it('are gone, and the next ones are answered with', async () => {
    const window = await asked(editAsk('c1', 'a\n', 'b\n'));
    await window.find('diff-editor', { state: 'ready' });
    act(() => probe('editorSet:c1')?.(0, 1, 'first'));
    await window.find('confirm-card', { dirty: 'true' });
    fireEvent.click(window.get('confirm-reset-edits'));
    await window.find('confirm-card', { dirty: 'false' });
    expect(probe('editorText:c1')?.('after')).toBe('b\n');
    act(() => probe('editorSet:c1')?.(0, 1, 'second'));
    await window.find('confirm-card', { dirty: 'true' });
    await arm();
    fireEvent.click(window.get('confirm-allow-once'));
    await settle();
    expect(window.backend.requests('decide')).toMatchObject([
      { decision: { kind: 'modify', final_text: 'second\n' } },
    ]);
  });
});

describe('a text without a line end', () => {
  it('says so where it is', async () => {
    const window = await asked(editAsk('c1', 'a\nb\n', 'a\nB'));
    await window.find('diff-editor', { state: 'ready' });
    const marks = () => [...document.querySelectorAll('.no-line-end')].map((mark) => mark.textContent);
    expect(marks()).toEqual(['no line end at the end']);
    act(() => probe('editorSet:c1')?.(3, 3, '\n'));
    expect(marks()).toEqual([]);
  });
});

describe("the person's own editor", () => {
  async function opened(): Promise<TestWindow> {
    const window = await asked(editAsk('c1', 'a\n', 'b\n'));
    await window.find('diff-editor', { state: 'ready' });
    fireEvent.click(window.get('confirm-external'));
    await settle();
    return window;
  }

  it('gets the text as it stands, and what it saves is the proposal', async () => {
    const window = await opened();
    expect(window.backend.requests('edit_outside')).toMatchObject([{ text: 'b\n' }]);
    await window.find('confirm-external-note', { state: 'open' });
    const save = (saved: SavedOutside) => {
      act(() => {
        window.session.emit({ type: 'saved_outside', proposal_id: editAsk('c1', '', '').proposal_id, saved });
      });
    };
    save({ kind: 'text', text: 'mine\n' });
    await window.find('confirm-external-note', { state: 'text' });
    expect(probe('editorText:c1')?.('after')).toBe('mine\n');
    await window.find('confirm-card', { dirty: 'true' });
    save({ kind: 'not_text' });
    await window.find('confirm-external-note', { state: 'not_text' });
    expect(probe('editorText:c1')?.('after')).toBe('mine\n');
  });
});
