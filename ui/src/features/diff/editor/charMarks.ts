import { presentableDiff } from '@codemirror/merge';
import type { Text } from '@codemirror/state';
import type { Hunk } from '@/lib/diff';
import { hunkRange } from './hunks';

/** Larger blocks get no marks within lines: they would be confetti. */
const MAX_MARKED_LINES = 20;
const MAX_MARKED_CHARS = 2_000;

/** Effort after which the comparison of characters becomes coarse. */
const SCAN_LIMIT = 200;

/** Pairs of texts that are kept; typing asks for the same ones again and again. */
const MAX_CACHED = 400;

export interface TextRange {
  from: number;
  to: number;
}

/** What changed within the lines of one hunk, relative to its start on each side. */
export interface CharMarks {
  old: readonly TextRange[];
  new: readonly TextRange[];
}

const NO_MARKS: CharMarks = { old: [], new: [] };
const cache = new Map<string, CharMarks>();

/** Whether the characters of a hunk are compared at all. */
function isMarked(hunk: Hunk): boolean {
  const [oldLines, newLines] = [hunk.oldTo - hunk.oldFrom, hunk.newTo - hunk.newFrom];
  return oldLines > 0 && newLines > 0 && Math.max(oldLines, newLines) <= MAX_MARKED_LINES;
}

/** Marks the characters that changed in a small hunk of a document. */
export function charMarks(baseLines: readonly string[], doc: Text, hunk: Hunk): CharMarks {
  const newText = comparedText(doc, hunk);
  if (newText === null) return NO_MARKS;
  return marksBetween(baseLines.slice(hunk.oldFrom, hunk.oldTo).join('\n'), newText);
}

/** The new text of a hunk, if its characters are compared at all. */
export function comparedText(doc: Text, hunk: Hunk): string | null {
  if (!isMarked(hunk)) return null;
  const { from, to } = hunkRange(doc, hunk);
  return doc.sliceString(from, to).replace(/\n$/, '');
}

/** Marks the characters that changed between two small texts. */
export function marksBetween(oldText: string, newText: string): CharMarks {
  if (hasLongLine(oldText) || hasLongLine(newText)) return NO_MARKS;
  const key = `${oldText}\u0000${newText}`;
  let marks = cache.get(key);
  if (!marks) {
    marks = compare(oldText, newText);
    cache.set(key, marks);
    const oldest = cache.keys().next();
    if (cache.size > MAX_CACHED && oldest.done !== true) cache.delete(oldest.value);
  }
  return marks;
}

function hasLongLine(text: string): boolean {
  return text.split('\n').some((line) => line.length > MAX_MARKED_CHARS);
}

function compare(oldText: string, newText: string): CharMarks {
  const changes = presentableDiff(oldText, newText, { scanLimit: SCAN_LIMIT });
  const range = (from: number, to: number): TextRange[] => (from < to ? [{ from, to }] : []);
  return {
    old: changes.flatMap((change) => range(change.fromA, change.toA)),
    new: changes.flatMap((change) => range(change.fromB, change.toB)),
  };
}
