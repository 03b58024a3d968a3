import type { ChangeSpec, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { align, hunksOf, LineNumbers, type Hunk } from '@/lib/diff';
import { changedRange } from '../changedRange';
import { hunkField, hunkRange, hunksIn } from './hunks';

/** Gives a change back to the text before it. An ordinary edit: it can be undone. */
export function revertToOriginal(view: EditorView, at: number): void {
  const { base, hunks } = view.state.field(hunkField);
  const hunk = hunks[at];
  if (!hunk) return;
  const lines = base.lines.slice(hunk.oldFrom, hunk.oldTo);
  view.dispatch({ changes: replaceLines(view.state.doc, hunk, lines), userEvent: 'revert' });
}

/** Gives a change back to what the model proposed there. */
export function restoreProposal(view: EditorView, at: number, proposal: string): void {
  const hunk = hunksIn(view.state)[at];
  if (!hunk) return;
  const mine = hunksBetween(proposal, view.state.doc);
  const touching = mine.filter((other) => other.newFrom <= hunk.newTo && other.newTo >= hunk.newFrom);
  applyProposal(view, touching, proposal);
}

/** Gives everything back to what the model proposed, as one change that can be undone. */
export function undoMyEdits(view: EditorView, proposal: string): void {
  const text = view.state.doc.toString();
  if (text === proposal) return;
  const byLines = proposalChanges(view.state.doc, hunksBetween(proposal, view.state.doc), proposal);
  // Lines do not show everything: a line end at the end of the file can differ too.
  const isWhole = view.state.changes(byLines).apply(view.state.doc).toString() === proposal;
  view.dispatch({ changes: isWhole ? byLines : changedRange(text, proposal), userEvent: 'revert' });
}

/** Puts another text in place of the whole one, as one change that can be undone. */
export function replaceText(view: EditorView, text: string): void {
  view.dispatch({ changes: changedRange(view.state.doc.toString(), text), userEvent: 'input.outside' });
}

function applyProposal(view: EditorView, hunks: readonly Hunk[], proposal: string): void {
  if (hunks.length === 0) return;
  view.dispatch({ changes: proposalChanges(view.state.doc, hunks, proposal), userEvent: 'revert' });
}

function proposalChanges(doc: Text, hunks: readonly Hunk[], proposal: string): ChangeSpec[] {
  const lines = proposal.split('\n');
  return hunks.map((hunk) => replaceLines(doc, hunk, lines.slice(hunk.oldFrom, hunk.oldTo)));
}

function hunksBetween(proposal: string, doc: Text): Hunk[] {
  const numbers = new LineNumbers();
  return hunksOf(align(numbers.of(proposal.split('\n')), numbers.of(doc.toJSON())));
}

/** Replaces whole lines of a document. */
function replaceLines(doc: Text, hunk: Hunk, lines: readonly string[]): ChangeSpec {
  const { from, to } = hunkRange(doc, hunk);
  const text = lines.join('\n');
  if (lines.length === 0) {
    // The last lines go together with the line end before them.
    const cutBefore = to === doc.length && hunk.newTo >= doc.lines && from > 0;
    return { from: cutBefore ? from - 1 : from, to };
  }
  const hasEnd = hunk.newTo < doc.lines;
  if (hunk.newFrom >= doc.lines) return { from: doc.length, insert: `\n${text}` };
  return { from, to, insert: hasEnd ? `${text}\n` : text };
}

/** Selects one character, by line and column from 1, and shows it. */
export function selectCharacter(view: EditorView, line: number, column: number): void {
  const { doc } = view.state;
  const at = doc.line(Math.min(doc.lines, Math.max(1, line)));
  const anchor = Math.min(at.to, at.from + codeUnits(at.text, column - 1));
  const head = Math.min(at.to, at.from + codeUnits(at.text, column));
  view.dispatch({
    selection: { anchor, head },
    effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
  });
}

/** How far into a text so many characters reach, where some are two units long. */
function codeUnits(text: string, characters: number): number {
  return Array.from(text).slice(0, characters).join('').length;
}

/** What navigation says about the change it went to. */
export interface HunkPlace {
  at: number;
  total: number;
  firstLine: number;
  lastLine: number;
}

/** Moves to the next or previous change, around the ends. */
export function goToHunk(view: EditorView, step: 1 | -1): HunkPlace | null {
  const hunks = hunksIn(view.state);
  if (hunks.length === 0) return null;
  const line = view.state.doc.lineAt(view.state.selection.main.head).number - 1;
  const inside = hunks.findIndex(
    (hunk) => line >= hunk.newFrom && line < Math.max(hunk.newTo, hunk.newFrom + 1),
  );
  const after = hunks.findIndex((hunk) => hunk.newFrom > line);
  const next = step > 0 ? after : (inside >= 0 ? inside : after < 0 ? hunks.length : after) - 1;
  const at = next < 0 ? (step > 0 ? 0 : hunks.length - 1) : next;
  const hunk = hunks[at];
  if (!hunk) return null;
  const { from } = hunkRange(view.state.doc, hunk);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  return {
    at: at + 1,
    total: hunks.length,
    firstLine: hunk.newFrom + 1,
    lastLine: Math.max(hunk.newTo, hunk.newFrom + 1),
  };
}
