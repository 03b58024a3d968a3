import { EditorState, Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import type { Hunk } from '@/lib/diff';
import { BaseLines, comparedWith, hunksIn } from './hunks';

const BASE = 'a\nb\nc\nd\ne\nf\ng\nh\n';

function editing(base: string, text: string): EditorState {
  const [lines, doc] = [new BaseLines(base), Text.of(text.split('\n'))];
  return EditorState.create({
    doc,
    extensions: [comparedWith(lines, lines.compare(doc)), EditorState.lineSeparator.of('\n')],
  });
}

/** Lines outside of the hunks are the same in both texts, in order; and no hunk is empty. */
function checkHunks(base: string, state: EditorState): void {
  const content = (text: string) => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const [oldLines, newLines] = [base === '' ? [] : content(base), content(state.doc.toString())];
  const kept = { old: [] as string[], new: [] as string[] };
  let [oldAt, newAt] = [0, 0];
  const end: Hunk = {
    oldFrom: oldLines.length,
    oldTo: oldLines.length,
    newFrom: state.doc.length === 0 ? 0 : newLines.length,
    newTo: newLines.length,
  };
  for (const hunk of [...hunksIn(state), end]) {
    kept.old.push(...oldLines.slice(oldAt, hunk.oldFrom));
    kept.new.push(...newLines.slice(newAt, hunk.newFrom));
    expect(hunk.oldFrom - oldAt, JSON.stringify(hunksIn(state))).toBe(hunk.newFrom - newAt);
    [oldAt, newAt] = [hunk.oldTo, hunk.newTo];
  }
  expect(kept.new).toEqual(kept.old);
  for (const hunk of hunksIn(state))
    expect(hunk.oldTo - hunk.oldFrom + hunk.newTo - hunk.newFrom).toBeGreaterThan(0);
}

describe('what differs, while a person types', () => {
  it('is gone again when the line is what it was', () => {
    let state = editing(BASE, BASE);
    state = state.update({ changes: { from: 2, insert: 'x' } }).state;
    expect(hunksIn(state)).toEqual([{ oldFrom: 1, oldTo: 2, newFrom: 1, newTo: 2 }]);
    state = state.update({ changes: { from: 2, to: 3 } }).state;
    expect(hunksIn(state)).toEqual([]);
  });

  it('is told apart where several places change at once', () => {
    const state = editing(BASE, BASE).update({
      changes: [
        { from: 0, insert: 'new\nlines\n' },
        { from: 6, to: 8 },
        { from: 12, insert: 'G' },
      ],
    }).state;
    expect(hunksIn(state)).toEqual([
      { oldFrom: 0, oldTo: 0, newFrom: 0, newTo: 2 },
      { oldFrom: 3, oldTo: 4, newFrom: 5, newTo: 5 },
      { oldFrom: 6, oldTo: 7, newFrom: 7, newTo: 8 },
    ]);
  });

  it('never pairs lines that are not equal, whatever is typed where', () => {
    let seed = 11;
    const random = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * limit);
    };
    const pieces = ['', 'x', '\n', 'a\n', 'b\nc\n', '\n\n', 'h'];
    for (let round = 0; round < 300; round += 1) {
      const base = ['', 'a', 'a\n', BASE, BASE.slice(0, -1)][random(5)] ?? '';
      let state = editing(base, base);
      for (let step = 0; step < 12; step += 1) {
        const length = state.doc.length;
        const places = [random(length + 1), random(length + 1), random(length + 1)].sort((a, b) => a - b);
        const [first = 0, second = 0, third = 0] = places;
        state = state.update({
          changes: [
            { from: first, to: Math.min(second, first + random(5)), insert: pieces[random(7)] ?? '' },
            { from: third, insert: pieces[random(7)] ?? '' },
          ],
        }).state;
        checkHunks(base, state);
      }
    }
  });
});
