import { anchoredRuns } from './anchors';
import type { Run } from './run';
import { SuffixTable } from './table';

/** Above this many lines between the common ends the answer is not exact. The backend has the same limit. */
export const MAX_EXACT_LINES = 20_000;

/** Lines of the common end that are looked at first; the walk leaves its detour within a few lines in real texts. */
const FIRST_TAIL_LINES = 64;

/** Growth of the part of the common end that is looked at, when the walk ran out of it. */
const TAIL_GROWTH = 4;

/** Lines that go, and the lines that come in their place. Ends are not included. */
export interface Hunk {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Which lines are kept between two texts. */
export interface Alignment {
  runs: readonly Run[];
  oldLength: number;
  newLength: number;
  exact: boolean;
}

/**
 * Lines up two sequences of line numbers.
 *
 * The answer is the canonical alignment of the backend: with T the table of the longest common subsequences of the
 * suffixes, walk from the start; equal heads are kept, else the old line goes unless only leaving out the new line
 * keeps the subsequence longest. So the window and the backend always count and show the same.
 */
export function align(oldIds: Int32Array, newIds: Int32Array): Alignment {
  const head = commonHead(oldIds, newIds);
  const [oldRest, newRest] = [oldIds.subarray(head), newIds.subarray(head)];
  const tail = commonTail(oldRest, newRest);
  const [oldMiddle, newMiddle] = [oldRest.length - tail, newRest.length - tail];
  const runs: Run[] = [];
  pushRun(runs, 0, 0, head);
  const found = Math.max(oldMiddle, newMiddle) > MAX_EXACT_LINES ? null : exactRuns(oldRest, newRest, tail);
  const inexact = () => anchoredRuns(oldRest.subarray(0, oldMiddle), newRest.subarray(0, newMiddle));
  for (const run of found ?? inexact()) pushRun(runs, head + run.old, head + run.new, run.length);
  if (!found) pushRun(runs, head + oldMiddle, head + newMiddle, tail);
  return { runs, oldLength: oldIds.length, newLength: newIds.length, exact: found !== null };
}

/** What lies between the kept lines, in order. */
export function hunksOf({ runs, oldLength, newLength }: Alignment): Hunk[] {
  const hunks: Hunk[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const run of [...runs, { old: oldLength, new: newLength, length: 0 }]) {
    if (oldAt < run.old || newAt < run.new) {
      hunks.push({ oldFrom: oldAt, oldTo: run.old, newFrom: newAt, newTo: run.new });
    }
    oldAt = run.old + run.length;
    newAt = run.new + run.length;
  }
  return hunks;
}

/** For each new line the old line it was kept from, or -1. */
export function oldOfNew({ runs, newLength }: Alignment): Int32Array {
  const from = new Int32Array(newLength).fill(-1);
  for (const run of runs) for (let at = 0; at < run.length; at += 1) from[run.new + at] = run.old + at;
  return from;
}

/** For each old line the new line it was kept as, or -1. */
export function newOfOld({ runs, oldLength }: Alignment): Int32Array {
  const to = new Int32Array(oldLength).fill(-1);
  for (const run of runs) for (let at = 0; at < run.length; at += 1) to[run.old + at] = run.new + at;
  return to;
}

/** Adds kept lines, joined to the run before where they touch. */
export function pushRun(runs: Run[], oldAt: number, newAt: number, length: number): void {
  if (length === 0) return;
  const last = runs.at(-1);
  if (last && last.old + last.length === oldAt && last.new + last.length === newAt) last.length += length;
  else runs.push({ old: oldAt, new: newAt, length });
}

/**
 * The canonical runs of two texts with different heads and `tail` equal lines at the end.
 *
 * Cutting k lines off the common end lowers every entry of T by k as long as both suffixes reach the cut, so the walk
 * is the same up to there. If it comes back to the diagonal of the common end before the cut, the cut changed nothing.
 */
function exactRuns(oldIds: Int32Array, newIds: Int32Array, tail: number): Run[] | null {
  let used = Math.min(tail, FIRST_TAIL_LINES);
  for (;;) {
    const cut = tail - used;
    const oldPart = oldIds.subarray(0, oldIds.length - cut);
    const newPart = newIds.subarray(0, newIds.length - cut);
    const runs = walk(oldPart, newPart);
    if (!runs) return null;
    const last = runs.at(-1);
    const cameBack =
      last !== undefined &&
      last.old + last.length === oldPart.length &&
      last.new + last.length === newPart.length;
    if (cut === 0 || cameBack) {
      pushRun(runs, oldPart.length, newPart.length, cut);
      return runs;
    }
    used = Math.min(tail, used * TAIL_GROWTH);
  }
}

function walk(oldIds: Int32Array, newIds: Int32Array): Run[] | null {
  const runs: Run[] = [];
  if (oldIds.length === 0 || newIds.length === 0) return runs;
  const table = SuffixTable.of(oldIds, newIds);
  if (!table) return null;
  let [i, j] = [0, 0];
  // `T[i][j] - T[i + 1][j]`, known while the walk stays on one old line; most lines never need it.
  let shrinks: number | null = null;
  while (i < oldIds.length && j < newIds.length) {
    if (oldIds[i] === newIds[j]) {
      pushRun(runs, i, j, 1);
      i += 1;
      j += 1;
      shrinks = null;
      continue;
    }
    const grows = table.grows(i, j);
    if (grows === 0) shrinks ??= table.length(i, j) - table.length(i + 1, j);
    // The old line goes unless that alone would make the subsequence shorter.
    if (grows === 1 || shrinks === 0) {
      i += 1;
      shrinks = null;
    } else {
      if (shrinks !== null) shrinks += table.grows(i + 1, j) - grows;
      j += 1;
    }
  }
  return runs;
}

function commonHead(a: Int32Array, b: Int32Array): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a[at] === b[at]) at += 1;
  return at;
}

function commonTail(a: Int32Array, b: Int32Array): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a[a.length - 1 - at] === b[b.length - 1 - at]) at += 1;
  return at;
}
