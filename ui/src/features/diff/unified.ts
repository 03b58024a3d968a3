import type { LineOwner, OwnerRun } from '@/bindings';
import { align, hunksOf, LineNumbers, splitLines } from '@/lib/diff';

/** One line of a unified diff. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  /** Line numbers before and after; `null` on the side where the line is not. */
  before: number | null;
  after: number | null;
  text: string;
  /** The last line of a text without a line end. */
  noEnd?: true;
}

const HUNK_HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads a unified diff. Headers of files are left out; a gap stands for lines between two hunks. */
export function parseUnified(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of diff.split('\n')) {
    const header = HUNK_HEADER.exec(line);
    if (header) {
      if (inHunk) lines.push({ kind: 'gap', before: null, after: null, text: '' });
      inHunk = true;
      before = Number(header[1]);
      after = Number(header[2]);
      continue;
    }
    if (!inHunk) continue;
    if (line.startsWith('\\')) {
      const last = lines.at(-1);
      if (last) last.noEnd = true;
      continue;
    }
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case '+':
        lines.push({ kind: 'added', before: null, after: after++, text });
        break;
      case '-':
        lines.push({ kind: 'removed', before: before++, after: null, text });
        break;
      case ' ':
        lines.push({ kind: 'same', before: before++, after: after++, text });
        break;
      default:
        break;
    }
  }
  return lines;
}

/** The lines of a unified diff, one list for each of its `@@` parts. */
export function hunksOfUnified(diff: string): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  for (const line of parseUnified(diff)) {
    if (line.kind === 'gap') hunks.push([]);
    else if (hunks.length === 0) hunks.push([line]);
    else hunks.at(-1)?.push(line);
  }
  return hunks;
}

/** Whose a line is that stands in the text after the change. */
export function ownersByLine(runs: readonly OwnerRun[]): (line: DiffLine) => LineOwner | null {
  const ends: { end: number; owner: LineOwner }[] = [];
  let end = 0;
  for (const run of runs) {
    end += run.lines;
    ends.push({ end, owner: run.owner });
  }
  return ({ after }) => (after === null ? null : (ends.find((run) => after <= run.end)?.owner ?? null));
}

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;

/** The lines of a diff between two texts. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)];
  const numbers = new LineNumbers();
  const hunks = hunksOf(align(numbers.of(oldLines), numbers.of(newLines)));
  const lines: DiffLine[] = [];
  let shownTo = 0;
  const same = (from: number, to: number, shift: number) => {
    for (let at = from; at < to; at += 1) {
      lines.push({ kind: 'same', before: at - shift + 1, after: at + 1, text: newLines[at] ?? '' });
    }
  };
  for (const [number, hunk] of hunks.entries()) {
    const from = Math.max(shownTo, hunk.newFrom - CONTEXT_LINES);
    if (number > 0 && from > shownTo) lines.push({ kind: 'gap', before: null, after: null, text: '' });
    same(from, hunk.newFrom, hunk.newFrom - hunk.oldFrom);
    for (let at = hunk.oldFrom; at < hunk.oldTo; at += 1) {
      lines.push({ kind: 'removed', before: at + 1, after: null, text: oldLines[at] ?? '' });
    }
    for (let at = hunk.newFrom; at < hunk.newTo; at += 1) {
      lines.push({ kind: 'added', before: null, after: at + 1, text: newLines[at] ?? '' });
    }
    const next = hunks[number + 1]?.newFrom ?? newLines.length;
    shownTo = Math.min(next, hunk.newTo + CONTEXT_LINES);
    same(hunk.newTo, shownTo, hunk.newTo - hunk.oldTo);
  }
  return lines;
}
