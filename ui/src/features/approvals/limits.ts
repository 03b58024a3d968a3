import type { FileDiff } from '@/bindings';

/** Changes above this many lines are shown but not edited. */
const MAX_CHANGED_LINES = 20_000;

/** In one column a change with more removed lines than this, or of this share of the file, is hard to read. */
const MAX_UNIFIED_REMOVED = 300;
const MAX_UNIFIED_SHARE = 0.6;

/** Why a change is too large for an editor. */
export type TooLarge = { why: 'size' } | { why: 'lines'; lines: number; limit: number };

/** Whether, and why, a change is too large for an editor. The backend leaves the texts out above 1 MB. */
export function tooLarge(diff: FileDiff): TooLarge | null {
  if (diff.new_text === null || (diff.base_text === null && !diff.is_new)) return { why: 'size' };
  const lines = diff.stat.model_added_lines + diff.stat.model_removed_lines;
  return lines > MAX_CHANGED_LINES ? { why: 'lines', lines, limit: MAX_CHANGED_LINES } : null;
}

/** Whether a change reads better, and is drawn faster, in two columns. */
export function prefersSplit(diff: FileDiff): boolean {
  if (diff.is_new) return false;
  const { model_removed_lines: removed } = diff.stat;
  if (removed <= MAX_UNIFIED_REMOVED) return false;
  const lines = (diff.base_text ?? '').split('\n').length;
  return removed / lines > MAX_UNIFIED_SHARE || longestRemoval(diff.unified_diff) > MAX_UNIFIED_REMOVED;
}

/** Lines of the longest block that goes in one piece. */
function longestRemoval(unified: string): number {
  let [longest, run] = [0, 0];
  for (const line of unified.split('\n')) {
    run = line.startsWith('-') ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
