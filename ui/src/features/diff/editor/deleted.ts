import { RangeSetBuilder, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { BLANKS, SPECIAL, specialLabel } from '@/lib/special';
import { comparedText, marksBetween, type TextRange } from './charMarks';
import { hunkField, hunkRange } from './hunks';

/** Words for readers; they come from the window's language. */
export interface DeletedWords {
  removed: string;
}

/** As drawn: what stands behind the last line of a text without a line end; nothing if it has one. */
interface DrawnWords extends DeletedWords {
  noLineEnd: string;
}

/** Lines that are gone, drawn where they were. */
export class DeletedLines extends WidgetType {
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** The lines in their place, whose characters are compared; `null` if none are. */
  private readonly newText: string | null;
  private readonly words: DrawnWords;

  constructor(firstLine: number, lines: readonly string[], newText: string | null, words: DrawnWords) {
    super();
    this.firstLine = firstLine;
    this.lines = lines;
    this.newText = newText;
    this.words = words;
  }

  override eq(other: DeletedLines): boolean {
    return (
      other.firstLine === this.firstLine &&
      other.words.noLineEnd === this.words.noLineEnd &&
      other.lines.length === this.lines.length &&
      other.lines.every((line, at) => line === this.lines[at]) &&
      other.newText === this.newText
    );
  }

  override toDOM(): HTMLElement {
    const box = document.createElement('div');
    box.className = 'diff-deleted';
    box.dataset.firstLine = String(this.firstLine);
    // Compared when it is drawn: of many changes only a few are on screen.
    const marks = this.newText === null ? [] : marksBetween(this.lines.join('\n'), this.newText).old;
    let start = 0;
    for (const line of this.lines) {
      box.append(this.drawLine(line, start, marks));
      start += line.length + 1;
    }
    if (this.words.noLineEnd !== '') {
      const mark = document.createElement('span');
      mark.className = 'no-line-end';
      mark.textContent = this.words.noLineEnd;
      box.lastElementChild?.append(mark);
    }
    return box;
  }

  override ignoreEvent(): boolean {
    return false;
  }

  override get estimatedHeight(): number {
    return -1;
  }

  private drawLine(line: string, start: number, all: readonly TextRange[]): HTMLElement {
    const row = document.createElement('div');
    row.className = 'diff-deleted-line';
    const said = document.createElement('span');
    said.className = 'visually-hidden';
    said.textContent = `${this.words.removed}: `;
    row.append(said);
    const marks = all.filter((mark) => mark.to > start && mark.from < start + line.length);
    let at = 0;
    for (const piece of visiblePieces(line)) {
      const end = at + piece.text.length;
      // A mark begins and ends where it wants; a drawn character is whole.
      for (const cut of cutAtMarks(piece, at, start, marks)) {
        const out = cut.marked ? row.appendChild(markedSpan()) : row;
        out.append(cut.node);
      }
      at = end;
    }
    if (line === '') row.append(document.createElement('br'));
    return row;
  }
}

interface Piece {
  text: string;
  /** `null` for ordinary text. */
  drawn: HTMLElement | null;
}

/** A line in ordinary text and characters that are drawn. */
function visiblePieces(line: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const found = [...line.matchAll(SPECIAL), ...line.matchAll(BLANKS)].sort((a, b) => a.index - b.index);
  for (const match of found) {
    if (match.index < at) continue;
    if (match.index > at) pieces.push({ text: line.slice(at, match.index), drawn: null });
    pieces.push({ text: match[0], drawn: drawCharacter(match[0]) });
    at = match.index + match[0].length;
  }
  if (at < line.length) pieces.push({ text: line.slice(at), drawn: null });
  return pieces;
}

function drawCharacter(text: string): HTMLElement {
  const mark = document.createElement('span');
  const blank = text.startsWith('\t') ? 'tab' : text.startsWith(' ') ? 'blank' : null;
  mark.className = blank === null ? 'special-char' : `blank-${blank}`;
  mark.textContent = blank === null ? specialLabel(text) : text;
  return mark;
}

function markedSpan(): HTMLElement {
  const span = document.createElement('span');
  span.className = 'diff-char-deleted';
  return span;
}

/** A piece of a line, cut where marks begin and end. Positions of marks count from the start of the hunk. */
function cutAtMarks(
  piece: Piece,
  at: number,
  lineStart: number,
  marks: readonly TextRange[],
): { node: Node; marked: boolean }[] {
  const isMarked = (position: number) =>
    marks.some((mark) => mark.from <= lineStart + position && mark.to > lineStart + position);
  if (piece.drawn) return [{ node: piece.drawn, marked: isMarked(at) }];
  const cuts: { node: Node; marked: boolean }[] = [];
  let from = 0;
  for (let to = 1; to <= piece.text.length; to += 1) {
    if (to < piece.text.length && isMarked(at + to) === isMarked(at + from)) continue;
    cuts.push({ node: document.createTextNode(piece.text.slice(from, to)), marked: isMarked(at + from) });
    from = to;
  }
  return cuts;
}

/** Draws the removed lines of every hunk above its new ones. */
export function deletedLines(words: DrawnWords) {
  return StateField.define<DecorationSet>({
    create: (state) => build(state, words),
    update(value, transaction) {
      const same = transaction.state.field(hunkField) === transaction.startState.field(hunkField, false);
      return same ? value : build(transaction.state, words);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

function build(state: EditorState, words: DrawnWords): DecorationSet {
  const { base, hunks } = state.field(hunkField);
  const builder = new RangeSetBuilder<Decoration>();
  for (const hunk of hunks) {
    if (hunk.oldFrom === hunk.oldTo) continue;
    const lines = base.lines.slice(hunk.oldFrom, hunk.oldTo);
    const { from } = hunkRange(state.doc, hunk);
    const atEnd = hunk.oldTo === base.lines.length;
    const drawn = atEnd ? words : { ...words, noLineEnd: '' };
    const widget = new DeletedLines(hunk.oldFrom + 1, lines, comparedText(state.doc, hunk), drawn);
    builder.add(
      from,
      from,
      Decoration.widget({ widget, block: true, side: hunk.newFrom < state.doc.lines ? -1 : 1 }),
    );
  }
  return builder.finish();
}
