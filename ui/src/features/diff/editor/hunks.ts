import { StateEffect, StateField, type EditorState, type Text, type Transaction } from '@codemirror/state';
import { align, hunksOf, LineNumbers, type Hunk } from '@/lib/diff';

/** Comparing whole texts is quick up to about this product of their lines; above, a change is only mapped at first. */
const MAX_COMPARED_PRODUCT = 60_000_000;

/** The lines before the change, with numbers that equal lines share. */
export class BaseLines {
  readonly lines: readonly string[];
  private readonly numbers = new LineNumbers();
  private readonly ids: Int32Array;

  constructor(base: string) {
    this.lines = contentLines(base.split('\n'));
    this.ids = this.numbers.of(this.lines);
  }

  /** What differs between the base and a document. */
  compare(doc: Text): readonly Hunk[] {
    return hunksOf(align(this.ids, this.numbers.of(contentLines(doc.toJSON()))));
  }

  isQuick(doc: Text): boolean {
    return this.lines.length * doc.lines < MAX_COMPARED_PRODUCT;
  }
}

/** An editor has a last empty line where a file has none. */
function contentLines(lines: string[]): string[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Replaces the hunks: a slower, exact comparison has arrived. */
export const setHunks = StateEffect.define<readonly Hunk[]>();

/** What differs between the base and the text as it stands. */
export const hunkField = StateField.define<{ base: BaseLines; hunks: readonly Hunk[] }>({
  create: () => ({ base: new BaseLines(''), hunks: [] }),
  update(value, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setHunks)) return { ...value, hunks: effect.value };
    if (!transaction.docChanged) return value;
    const { base } = value;
    if (base.isQuick(transaction.newDoc)) return { base, hunks: base.compare(transaction.newDoc) };
    return { base, hunks: mapHunks(value.hunks, transaction) };
  },
});

/** The extension that compares with a base. */
export function comparedWith(base: BaseLines) {
  return hunkField.init((state) => ({ base, hunks: base.compare(state.doc) }));
}

export function hunksIn(state: EditorState): readonly Hunk[] {
  return state.field(hunkField, false)?.hunks ?? [];
}

/** The hunks after a change, with the changed lines added to them; not minimal, but at once. */
function mapHunks(hunks: readonly Hunk[], transaction: Transaction): readonly Hunk[] {
  let mapped = hunks;
  transaction.changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    const [before, after] = [transaction.startState.doc, transaction.newDoc];
    const oldRange = { from: before.lineAt(fromA).number - 1, to: before.lineAt(toA).number };
    const growth = after.lineAt(toB).number - after.lineAt(fromB).number - (oldRange.to - oldRange.from - 1);
    mapped = withChange(mapped, oldRange, growth);
  });
  return mapped;
}

function withChange(hunks: readonly Hunk[], range: { from: number; to: number }, growth: number): Hunk[] {
  const before = hunks.filter((hunk) => hunk.newTo < range.from);
  const touched = hunks.filter((hunk) => hunk.newTo >= range.from && hunk.newFrom <= range.to);
  const after = hunks.filter((hunk) => hunk.newFrom > range.to);
  const [first, last] = [touched[0], touched.at(-1)];
  const offset = (known: Hunk | undefined) => (known ? known.oldTo - known.newTo : 0);
  const newFrom = Math.min(range.from, first?.newFrom ?? range.from);
  const newTo = Math.max(range.to, last?.newTo ?? range.to);
  const hunk: Hunk = {
    oldFrom: first && first.newFrom <= range.from ? first.oldFrom : newFrom + offset(before.at(-1)),
    oldTo: newTo + offset(last ?? before.at(-1)),
    newFrom,
    newTo: newTo + growth,
  };
  const moved = after.map((other) => ({
    ...other,
    newFrom: other.newFrom + growth,
    newTo: other.newTo + growth,
  }));
  return [...before, hunk, ...moved];
}

/** The hunk that holds, or stands directly before, a line (from 0). */
export function hunkAtLine(hunks: readonly Hunk[], line: number): number {
  return hunks.findIndex((hunk) => line >= hunk.newFrom && line < Math.max(hunk.newTo, hunk.newFrom + 1));
}

/** The document range that a hunk's new lines take, with their line ends where there are any. */
export function hunkRange(doc: Text, hunk: Hunk): { from: number; to: number } {
  const from = hunk.newFrom < doc.lines ? doc.line(hunk.newFrom + 1).from : doc.length;
  const to = hunk.newTo < doc.lines ? doc.line(hunk.newTo + 1).from : doc.length;
  return { from, to };
}
