import type { FileConflict } from '@/bindings';
import type { DiffLine } from '@/features/diff';
import { align, hunksOf, LineNumbers, splitLines, type Hunk } from '@/lib/diff';

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;

/** The three contents of a file in conflict, in the order in which they came to be. */
export type SideName = 'before' | 'after' | 'current';
export const SIDES = ['before', 'after', 'current'] as const;

/** The lines of each content around what changed: what the edit took away and put in, and what came after it. */
export function threeWay(file: FileConflict): Record<SideName, DiffLine[]> {
  const numbers = new LineNumbers();
  const [before, after, current] = SIDES.map((side) => splitLines(file[side].text)) as [
    string[],
    string[],
    string[],
  ];
  const between = (old: string[], now: string[]) => hunksOf(align(numbers.of(old), numbers.of(now)));
  const edit = between(before, after);
  const since = between(after, current);
  const left = (hunk: Hunk): Range => [hunk.oldFrom, hunk.oldTo];
  const right = (hunk: Hunk): Range => [hunk.newFrom, hunk.newTo];
  return {
    before: around(before, 'removed', edit.map(left)),
    after: around(after, 'added', edit.map(right), since.map(left)),
    current: around(
      current,
      'added',
      since.map(right),
      edit.flatMap((hunk) => moved(hunk, since)),
    ),
  };
}

type Range = [from: number, to: number];

/** Where the lines of an edit now are, if nobody touched them. */
function moved({ newFrom, newTo }: Hunk, since: readonly Hunk[]): Range[] {
  let by = 0;
  for (const hunk of since) {
    if (hunk.oldTo < newFrom) by += hunk.newTo - hunk.newFrom - (hunk.oldTo - hunk.oldFrom);
    else if (hunk.oldFrom <= newTo) return [];
  }
  return [[newFrom + by, newTo + by]];
}

/** The marked lines and others that are of interest, with a few lines around them. */
function around(
  lines: readonly string[],
  kind: 'added' | 'removed',
  marked: readonly Range[],
  others: readonly Range[] = [],
): DiffLine[] {
  const near = new Uint8Array(lines.length);
  for (const [from, to] of [...marked, ...others]) {
    near.fill(1, Math.max(0, from - CONTEXT_LINES), to + CONTEXT_LINES);
  }
  const isMarked = (at: number) => marked.some(([from, to]) => from <= at && at < to);
  const shown: DiffLine[] = [];
  let last = -1;
  for (const [at, text] of lines.entries()) {
    if (near[at] === 0) continue;
    if (shown.length > 0 && at > last + 1) shown.push({ kind: 'gap', before: null, after: null, text: '' });
    last = at;
    const number = at + 1;
    shown.push(
      !isMarked(at)
        ? { kind: 'same', before: number, after: number, text }
        : kind === 'added'
          ? { kind, before: null, after: number, text }
          : { kind, before: number, after: null, text },
    );
  }
  return shown;
}
