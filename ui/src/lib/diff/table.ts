/** Bits of one word of a row. */
const WORD_BITS = 32;

/** One more than the largest word. */
const WORD_RANGE = 2 ** WORD_BITS;

/** More words than this (64 MiB) are not worth an exact answer. */
const MAX_TABLE_WORDS = 16 * 1024 * 1024;

/**
 * The table T of the lengths of the longest common subsequences of all suffixes, as bits: bit p of row i is zero where
 * T grows by one when the suffix of the new lines is made longer by its line `length - 1 - p`. Rows are made from the
 * end with one addition per word, so a line that occurs once costs next to nothing.
 */
export class SuffixTable {
  private readonly words: number;
  private readonly rows: Uint32Array;
  private readonly rowAt: Int32Array;
  private readonly newLength: number;

  private constructor(words: number, rows: Uint32Array, rowAt: Int32Array, newLength: number) {
    this.words = words;
    this.rows = rows;
    this.rowAt = rowAt;
    this.newLength = newLength;
  }

  /** `null` when the table would be too large. */
  static of(oldIds: Int32Array, newIds: Int32Array): SuffixTable | null {
    const words = Math.max(1, Math.ceil(newIds.length / WORD_BITS));
    const places = placesById(newIds);
    const rowAt = new Int32Array(oldIds.length + 1);
    let rowCount = 1;
    for (let at = oldIds.length - 1; at >= 0; at -= 1) {
      // A line that the new text does not have changes nothing: it shares the row below.
      if (places.has(oldIds[at] ?? -1)) rowCount += 1;
      rowAt[at] = rowCount - 1;
    }
    if (rowCount * words > MAX_TABLE_WORDS) return null;
    const rows = new Uint32Array(rowCount * words).fill(WORD_RANGE - 1, 0, words);
    for (let at = oldIds.length - 1, row = 0; at >= 0; at -= 1) {
      const matches = places.get(oldIds[at] ?? -1);
      if (!matches) continue;
      row += 1;
      rows.copyWithin(row * words, (row - 1) * words, row * words);
      addRow(rows, row * words, (row + 1) * words, matches);
    }
    return new SuffixTable(words, rows, rowAt, newIds.length);
  }

  /** Whether T grows at this place: `T[i][j] - T[i][j + 1]`, 0 or 1. */
  grows(i: number, j: number): number {
    const bit = this.newLength - 1 - j;
    const word = this.rows[(this.rowAt[i] ?? 0) * this.words + (bit >>> 5)] ?? 0;
    return ((word >>> (bit & 31)) & 1) ^ 1;
  }

  /** `T[i][j]`. */
  length(i: number, j: number): number {
    const bits = this.newLength - j;
    const start = (this.rowAt[i] ?? 0) * this.words;
    const whole = bits >>> 5;
    let ones = 0;
    for (let at = start; at < start + whole; at += 1) ones += popcount(this.rows[at] ?? 0);
    const rest = bits & 31;
    if (rest > 0) ones += popcount((this.rows[start + whole] ?? 0) & (2 ** rest - 1));
    return bits - ones;
  }
}

/** Where each line stands in the new text, as bit numbers from the lowest on. */
function placesById(newIds: Int32Array): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (let at = newIds.length - 1; at >= 0; at -= 1) {
    const id = newIds[at] ?? -1;
    const known = places.get(id);
    if (known) known.push(newIds.length - 1 - at);
    else places.set(id, [newIds.length - 1 - at]);
  }
  return places;
}

/** `row = (row + (row & matches)) | (row & ~matches)`, touching only the words that change. */
function addRow(rows: Uint32Array, start: number, end: number, matches: readonly number[]): void {
  let carry = 0;
  let next = 0;
  let word = start + ((matches[0] ?? 0) >>> 5);
  while (word < end) {
    let mask = 0;
    while (next < matches.length && start + ((matches[next] ?? 0) >>> 5) === word) {
      mask |= 1 << ((matches[next] ?? 0) & 31);
      next += 1;
    }
    const before = rows[word] ?? 0;
    const sum = before + ((before & mask) >>> 0) + carry;
    rows[word] = sum | (before & ~mask);
    carry = sum >= WORD_RANGE ? 1 : 0;
    if (carry === 1) word += 1;
    else if (next < matches.length) word = start + ((matches[next] ?? 0) >>> 5);
    else return;
  }
}

function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
