import {
  StateEffect,
  StateField,
  type ChangeSet,
  type EditorState,
  type Text,
  type Transaction,
} from '@codemirror/state';
import { align, hunksOf, LineNumbers, type Hunk } from '@/lib/diff';

/** A key compares only the lines around it; where those are more than this product, only their equal ends are found. */
const MAX_COMPARED_PRODUCT = 250_000;

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

  /** What differs within a part of both. */
  compareWithin(part: Hunk, doc: Text): Hunk[] {
    const oldLines = this.lines.slice(part.oldFrom, part.oldTo);
    const newLines = linesBetween(doc, part.newFrom, part.newTo);
    const [head, tail] = equalEnds(oldLines, newLines);
    const rest: Hunk = {
      oldFrom: part.oldFrom + head,
      oldTo: part.oldTo - tail,
      newFrom: part.newFrom + head,
      newTo: part.newTo - tail,
    };
    const product = (rest.oldTo - rest.oldFrom) * (rest.newTo - rest.newFrom);
    if (product === 0 || product > MAX_COMPARED_PRODUCT)
      return rest.oldFrom === rest.oldTo && rest.newFrom === rest.newTo ? [] : [rest];
    const newIds = this.numbers.of(newLines);
    return hunksOf(align(this.ids.subarray(part.oldFrom, part.oldTo), newIds)).map((hunk) => ({
      oldFrom: hunk.oldFrom + part.oldFrom,
      oldTo: hunk.oldTo + part.oldFrom,
      newFrom: hunk.newFrom + part.newFrom,
      newTo: hunk.newTo + part.newFrom,
    }));
  }
}

function equalEnds(a: readonly string[], b: readonly string[]): [head: number, tail: number] {
  const limit = Math.min(a.length, b.length);
  let head = 0;
  while (head < limit && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < limit - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return [head, tail];
}

function linesBetween(doc: Text, from: number, to: number): string[] {
  if (from >= to) return [];
  return doc.sliceString(doc.line(from + 1).from, doc.line(to).to).split('\n');
}

/** An editor has a last empty line where a file has none. */
function contentLines(lines: string[]): string[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function countContentLines(doc: Text): number {
  return doc.lines - (doc.line(doc.lines).length === 0 ? 1 : 0);
}

/** Replaces the hunks: the exact comparison of the whole text has arrived. */
export const setHunks = StateEffect.define<readonly Hunk[]>();

/**
 * What differs between the base and the text as it stands. A change is compared at once with the lines around it;
 * whether the whole could be lined up better is counted apart and arrives with [`setHunks`].
 */
export const hunkField = StateField.define<{ base: BaseLines; hunks: readonly Hunk[] }>({
  create: () => ({ base: new BaseLines(''), hunks: [] }),
  update(value, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setHunks)) return { ...value, hunks: effect.value };
    if (!transaction.docChanged) return value;
    return { base: value.base, hunks: mapHunks(value.base, value.hunks, transaction) };
  },
});

/** The extension that compares with a base. `hunks` is what differs at first. */
export function comparedWith(base: BaseLines, hunks: readonly Hunk[]) {
  return hunkField.init(() => ({ base, hunks }));
}

export function hunksIn(state: EditorState): readonly Hunk[] {
  return state.field(hunkField, false)?.hunks ?? [];
}

/** Whether two lists say the same. */
export function sameHunks(a: readonly Hunk[], b: readonly Hunk[]): boolean {
  return (
    a.length === b.length &&
    a.every((hunk, at) => {
      const other = b[at];
      return (
        hunk.oldFrom === other?.oldFrom &&
        hunk.oldTo === other.oldTo &&
        hunk.newFrom === other.newFrom &&
        hunk.newTo === other.newTo
      );
    })
  );
}

/** Whole lines that a change touches: from, to (not included) before it, and how many more there are after it. */
interface ChangedLines {
  from: number;
  to: number;
  growth: number;
}

const NO_LINES: ChangedLines = { from: 0, to: 0, growth: 0 };

function changedLines(changes: ChangeSet, before: Text, after: Text): ChangedLines[] {
  const found: ChangedLines[] = [];
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    const from = before.lineAt(fromA).number - 1;
    const to = before.lineAt(toA).number;
    const growth = after.lineAt(toB).number - after.lineAt(fromB).number - (to - from - 1);
    const last = found.at(-1) ?? { ...NO_LINES };
    // Two changes in one line are one.
    if (from >= last.to) {
      found.push({ from, to, growth });
      return;
    }
    last.to = Math.max(last.to, to);
    last.growth += growth;
  });
  return found;
}

/** The hunks after a change: those away from it move along, those at it are compared again. */
function mapHunks(base: BaseLines, hunks: readonly Hunk[], transaction: Transaction): readonly Hunk[] {
  const { newDoc: doc } = transaction;
  const mapped: Hunk[] = [];
  let [grown, shift, at] = [0, 0, 0];
  const passUntil = (line: number) => {
    for (let hunk = hunks[at]; hunk && hunk.newTo < line; hunk = hunks[++at]) {
      mapped.push({ ...hunk, newFrom: hunk.newFrom + grown, newTo: hunk.newTo + grown });
      shift = hunk.oldTo - hunk.newTo;
    }
  };
  const ranges = changedLines(transaction.changes, transaction.startState.doc, doc);
  for (let next = ranges.shift(); next; next = ranges.shift()) {
    passUntil(next.from);
    const first = hunks[at];
    const from = first && first.newFrom <= next.to ? Math.min(next.from, first.newFrom) : next.from;
    const start = { old: from + shift, new: from + grown };
    let { to } = next;
    grown += next.growth;
    // Whatever touches what was found so far belongs to it, be it a hunk or another change.
    for (;;) {
      const [hunk, range] = [hunks[at], ranges[0]];
      if (hunk && hunk.newFrom <= to) {
        to = Math.max(to, hunk.newTo);
        shift = hunk.oldTo - hunk.newTo;
        at += 1;
      } else if (range && range.from <= to) {
        to = Math.max(to, range.to);
        grown += range.growth;
        ranges.shift();
      } else break;
    }
    const part = { oldFrom: start.old, oldTo: to + shift, newFrom: start.new, newTo: to + grown };
    mapped.push(...base.compareWithin(inside(part, base, doc), doc));
  }
  passUntil(Infinity);
  return mapped;
}

/** An editor shows an empty line after the last line end; that one is in no hunk. */
function inside(part: Hunk, base: BaseLines, doc: Text): Hunk {
  const [oldLines, newLines] = [base.lines.length, countContentLines(doc)];
  return {
    oldFrom: Math.min(part.oldFrom, oldLines),
    oldTo: Math.min(part.oldTo, oldLines),
    newFrom: Math.min(part.newFrom, newLines),
    newTo: Math.min(part.newTo, newLines),
  };
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
