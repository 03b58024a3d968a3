import { RangeSetBuilder, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import type { Hunk } from '@/lib/diff';
import { BLANKS, SPECIAL, specialLabel } from '@/lib/special';
import { charMarks, type TextRange } from './charMarks';
import { hunkField, hunkRange } from './hunks';

/** Words for readers; they come from the window's language. */
export interface DeletedWords {
  removed: string;
}

/** Lines that are gone, drawn where they were. */
export class DeletedLines extends WidgetType {
  readonly firstLine: number;
  readonly lines: readonly string[];
  private readonly marks: readonly TextRange[];
  private readonly words: DeletedWords;

  constructor(
    firstLine: number,
    lines: readonly string[],
    marks: readonly TextRange[],
    words: DeletedWords,
  ) {
    super();
    this.firstLine = firstLine;
    this.lines = lines;
    this.marks = marks;
    this.words = words;
  }

  override eq(other: DeletedLines): boolean {
    return (
      other.firstLine === this.firstLine &&
      other.lines.length === this.lines.length &&
      other.lines.every((line, at) => line === this.lines[at]) &&
      JSON.stringify(other.marks) === JSON.stringify(this.marks)
    );
  }

  override toDOM(): HTMLElement {
    const box = document.createElement('div');
    box.className = 'diff-deleted';
    box.dataset.firstLine = String(this.firstLine);
    let start = 0;
    for (const line of this.lines) {
      box.append(this.drawLine(line, start));
      start += line.length + 1;
    }
    return box;
  }

  override ignoreEvent(): boolean {
    return false;
  }

  override get estimatedHeight(): number {
    return -1;
  }

  private drawLine(line: string, start: number): HTMLElement {
    const row = document.createElement('div');
    row.className = 'diff-deleted-line';
    const said = document.createElement('span');
    said.className = 'visually-hidden';
    said.textContent = `${this.words.removed}: `;
    row.append(said);
    let at = 0;
    const marks = this.marks.filter((mark) => mark.to > start && mark.from < start + line.length);
    for (const mark of marks) {
      const [from, to] = [Math.max(0, mark.from - start), Math.min(line.length, mark.to - start)];
      row.append(...drawText(line.slice(at, from)));
      const marked = document.createElement('span');
      marked.className = 'diff-char-deleted';
      marked.append(...drawText(line.slice(from, to)));
      row.append(marked);
      at = to;
    }
    row.append(...drawText(line.slice(at)));
    if (line === '') row.append(document.createElement('br'));
    return row;
  }
}

/** Text with its invisible characters drawn. */
export function drawText(text: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let at = 0;
  const found = [...text.matchAll(SPECIAL), ...text.matchAll(BLANKS)].sort((a, b) => a.index - b.index);
  for (const match of found) {
    if (match.index < at) continue;
    nodes.push(text.slice(at, match.index));
    const mark = document.createElement('span');
    const blank = match[0].startsWith('\t') ? 'tab' : match[0].startsWith(' ') ? 'blank' : null;
    if (blank === null) {
      mark.className = 'special-char';
      mark.textContent = specialLabel(match[0]);
    } else {
      mark.className = `blank-${blank}`;
      mark.textContent = match[0];
    }
    nodes.push(mark);
    at = match.index + match[0].length;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== '');
}

/** Draws the removed lines of every hunk above its new ones. */
export function deletedLines(words: DeletedWords) {
  return StateField.define<DecorationSet>({
    create: (state) => build(state, words),
    update(value, transaction) {
      const same = transaction.state.field(hunkField) === transaction.startState.field(hunkField, false);
      return same ? value : build(transaction.state, words);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

function build(state: EditorState, words: DeletedWords): DecorationSet {
  const { base, hunks } = state.field(hunkField);
  const builder = new RangeSetBuilder<Decoration>();
  for (const hunk of hunks) {
    if (hunk.oldFrom === hunk.oldTo) continue;
    const lines = base.lines.slice(hunk.oldFrom, hunk.oldTo);
    const { from } = hunkRange(state.doc, hunk);
    const widget = new DeletedLines(hunk.oldFrom + 1, lines, marksOf(state, hunk, lines), words);
    builder.add(from, from, Decoration.widget({ widget, block: true, side: hunk.newFrom < state.doc.lines ? -1 : 1 }));
  }
  return builder.finish();
}

function marksOf(state: EditorState, hunk: Hunk, lines: readonly string[]): readonly TextRange[] {
  const { from, to } = hunkRange(state.doc, hunk);
  return charMarks(lines.join('\n'), state.doc.sliceString(from, to).replace(/\n$/, ''), hunk).old;
}
