import { RangeSetBuilder, StateEffect, StateField, type EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { Decoration, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import type { Owner } from '@/lib/diff';
import { BLANKS } from '@/lib/special';
import { charMarks } from './charMarks';
import { hunkAtLine, hunkField, hunkRange, hunksIn } from './hunks';

/** Whose lines they are, as counted last. */
export interface Ownership {
  owners: readonly (Owner | null)[];
  /** Before which line (from 0) the person dropped how many lines of the model. */
  dropped: ReadonlyMap<number, number>;
}

export const setOwnership = StateEffect.define<Ownership>();

/** Whether two answers mark the same lines. */
export function sameOwnership(a: Ownership, b: Ownership): boolean {
  return (
    a.owners.length === b.owners.length &&
    a.dropped.size === b.dropped.size &&
    a.owners.every((owner, line) => owner === b.owners[line]) &&
    [...a.dropped].every(([line, count]) => b.dropped.get(line) === count)
  );
}

const NOBODY: Ownership = { owners: [], dropped: new Map() };

/** Ownership, moved along with changes until new counts arrive: what is typed is the person's at once. */
export const ownershipField = StateField.define<Ownership>({
  create: () => NOBODY,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setOwnership)) return effect.value;
    if (!transaction.docChanged) return value;
    let { owners } = value;
    transaction.changes.iterChangedRanges((fromA, toA, fromB, toB) => {
      const [before, after] = [transaction.startState.doc, transaction.newDoc];
      const first = after.lineAt(fromB).number - 1;
      const gone = before.lineAt(toA).number - before.lineAt(fromA).number + 1;
      const come = after.lineAt(toB).number - after.lineAt(fromB).number + 1;
      owners = owners.toSpliced(first, gone, ...new Array<Owner>(come).fill('human'));
    });
    return { owners, dropped: value.dropped };
  },
});

/** Who a changed line (from 0) belongs to; `null` for a line that stands in the base too. */
export function ownerOfLine(state: EditorState, line: number): Owner | null {
  const hunks = hunksIn(state);
  const hunk = hunks[hunkAtLine(hunks, line)];
  if (!hunk || line >= hunk.newTo) return null;
  return state.field(ownershipField, false)?.owners[line] ?? 'ai';
}

/** Whose changes a hunk holds. */
export function ownerOfHunk(state: EditorState, at: number): 'ai' | 'human' | 'mixed' {
  const hunk = hunksIn(state)[at];
  const ownership = state.field(ownershipField, false);
  if (!hunk || !ownership) return 'ai';
  const owners = new Set<Owner>();
  for (let line = hunk.newFrom; line < hunk.newTo; line += 1) owners.add(ownership.owners[line] ?? 'ai');
  for (const line of ownership.dropped.keys())
    if (line >= hunk.newFrom && line <= hunk.newTo) owners.add('human');
  if (owners.size > 1) return 'mixed';
  return owners.has('human') ? 'human' : 'ai';
}

/** Words for readers. */
export interface LineWords {
  ai: string;
  human: string;
}

const charAdded = Decoration.mark({ class: 'diff-char-added' });
const tabMark = Decoration.mark({ class: 'blank-tab' });
const blankMark = Decoration.mark({ class: 'blank-blank' });

/** Where blanks are drawn: on changed lines always, elsewhere only on request. */
export type BlanksShown = 'changed' | 'all';

export const setBlanksShown = StateEffect.define<BlanksShown>();

const blanksField = StateField.define<BlanksShown>({
  create: () => 'changed',
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setBlanksShown)) return effect.value;
    return value;
  },
});

/** Colours the new lines by owner, and marks what changed within them. Only what is on screen is drawn. */
export function lineMarks(words: LineWords) {
  const lines = {
    ai: Decoration.line({ class: 'diff-line-ai', attributes: { 'aria-description': words.ai } }),
    human: Decoration.line({ class: 'diff-line-human', attributes: { 'aria-description': words.human } }),
  };
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = draw(view, lines);
      }

      update(update: ViewUpdate) {
        if (needsDrawing(update)) this.decorations = draw(update.view, lines);
      }
    },
    { decorations: (value) => value.decorations },
  );
  return [ownershipField, blanksField, plugin];
}

function needsDrawing(update: ViewUpdate): boolean {
  return (
    update.docChanged ||
    update.viewportChanged ||
    update.state.field(ownershipField) !== update.startState.field(ownershipField) ||
    update.state.field(blanksField) !== update.startState.field(blanksField) ||
    update.state.field(hunkField) !== update.startState.field(hunkField)
  );
}

function draw(view: EditorView, lines: Readonly<Record<Owner, Decoration>>): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { state } = view;
  const all = state.field(blanksField) === 'all';
  let last = -1;
  for (const { from, to } of view.visibleRanges) {
    for (let at = Math.max(from, last + 1); at <= to;) {
      const line = state.doc.lineAt(at);
      const owner = ownerOfLine(state, line.number - 1);
      if (owner) builder.add(line.from, line.from, lines[owner]);
      if (owner || all) addInline(builder, state, line);
      last = line.to;
      at = line.to + 1;
    }
  }
  return builder.finish();
}

function addInline(
  builder: RangeSetBuilder<Decoration>,
  state: EditorState,
  line: { number: number; from: number; to: number; text: string },
): void {
  const marks = [...charRanges(state, line), ...blankRanges(line)].sort(
    (a, b) => a.from - b.from || b.to - a.to,
  );
  for (const { from, to, mark } of marks) builder.add(from, to, mark);
}

interface MarkedRange {
  from: number;
  to: number;
  mark: Decoration;
}

function charRanges(state: EditorState, line: { number: number; from: number; to: number }): MarkedRange[] {
  const { base, hunks } = state.field(hunkField);
  const hunk = hunks[hunkAtLine(hunks, line.number - 1)];
  if (!hunk || line.number - 1 >= hunk.newTo) return [];
  const range = hunkRange(state.doc, hunk);
  return charMarks(base.lines, state.doc, hunk).new.flatMap((mark) => {
    const from = Math.max(line.from, range.from + mark.from);
    const to = Math.min(line.to, range.from + mark.to);
    return from < to ? [{ from, to, mark: charAdded }] : [];
  });
}

function blankRanges(line: { from: number; text: string }): MarkedRange[] {
  return [...line.text.matchAll(BLANKS)].map((match) => ({
    from: line.from + match.index,
    to: line.from + match.index + match[0].length,
    mark: match[0] === '\t' ? tabMark : blankMark,
  }));
}
