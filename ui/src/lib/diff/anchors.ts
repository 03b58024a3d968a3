import type { Run } from './run';

/**
 * Kept lines of texts that are too large for an exact answer: lines that occur once in both, in the longest order
 * they share, grown in both directions while the neighbours are equal. Never takes long.
 */
export function anchoredRuns(oldIds: Int32Array, newIds: Int32Array): Run[] {
  const runs: Run[] = [];
  let [oldEnd, newEnd] = [0, 0];
  for (const anchor of longestOrder(uniquePairs(oldIds, newIds))) {
    if (anchor.old < oldEnd || anchor.new < newEnd) continue;
    let before = 0;
    while (
      anchor.old - before > oldEnd &&
      anchor.new - before > newEnd &&
      oldIds[anchor.old - before - 1] === newIds[anchor.new - before - 1]
    ) {
      before += 1;
    }
    let after = 1;
    while (
      anchor.old + after < oldIds.length &&
      anchor.new + after < newIds.length &&
      oldIds[anchor.old + after] === newIds[anchor.new + after]
    ) {
      after += 1;
    }
    runs.push({ old: anchor.old - before, new: anchor.new - before, length: before + after });
    oldEnd = anchor.old + after;
    newEnd = anchor.new + after;
  }
  return runs;
}

interface Pair {
  old: number;
  new: number;
}

/** Places of the lines that occur exactly once in both texts, by their place in the old one. */
function uniquePairs(oldIds: Int32Array, newIds: Int32Array): Pair[] {
  const inNew = uniquePlaces(newIds);
  const pairs: Pair[] = [];
  for (const [id, at] of uniquePlaces(oldIds)) {
    const other = inNew.get(id);
    if (at >= 0 && other !== undefined && other >= 0) pairs.push({ old: at, new: other });
  }
  return pairs.sort((a, b) => a.old - b.old);
}

function uniquePlaces(ids: Int32Array): Map<number, number> {
  const places = new Map<number, number>();
  for (const [at, id] of ids.entries()) places.set(id, places.has(id) ? -1 : at);
  return places;
}

/** The longest part of the pairs whose places grow in both texts (patience sorting). */
function longestOrder(pairs: readonly Pair[]): Pair[] {
  const piles: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [at, pair] of pairs.entries()) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[piles[middle] ?? -1]?.new ?? 0) < pair.new) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[at] = piles[low - 1] ?? -1;
    piles[low] = at;
  }
  const order: Pair[] = [];
  for (let at = piles.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair) order.push(pair);
  }
  return order.reverse();
}
