import type { EditorView } from '@codemirror/view';
import { gutter, GutterMarker, lineNumbers, lineNumberWidgetMarker, ViewPlugin } from '@codemirror/view';
import { DeletedLines } from './deleted';
import { hunkField } from './hunks';
import { ownerOfLine, ownershipField } from './marks';

/** What stands in the gutter; the words come from the window's language. */
export interface GutterWords {
  ai: string;
  human: string;
  dropped: (lines: number) => string;
}

class TextMarker extends GutterMarker {
  private readonly text: string;
  private readonly kind: string;
  private readonly title: string;

  constructor(text: string, kind: string, title: string) {
    super();
    this.text = text;
    this.kind = kind;
    this.title = title;
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof TextMarker && other.text === this.text && other.kind === this.kind;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = `diff-mark diff-mark-${this.kind}`;
    mark.textContent = this.text;
    if (this.title !== '') mark.title = this.title;
    return mark;
  }
}

/** One entry per removed line, as tall as the line beside it. */
class DeletedMarker extends GutterMarker {
  private readonly widget: DeletedLines;
  private readonly draw: (widget: DeletedLines, at: number) => string;

  constructor(widget: DeletedLines, draw: (widget: DeletedLines, at: number) => string) {
    super();
    this.widget = widget;
    this.draw = draw;
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof DeletedMarker && other.widget.eq(this.widget);
  }

  override toDOM(): HTMLElement {
    const column = document.createElement('div');
    column.className = 'diff-deleted-gutter';
    column.dataset.firstLine = String(this.widget.firstLine);
    for (const at of this.widget.lines.keys()) {
      const cell = document.createElement('div');
      cell.textContent = this.draw(this.widget, at);
      column.append(cell);
    }
    return column;
  }
}

/** Wrapped lines are taller than one row: the gutter of removed lines follows the lines' own heights. */
const heightsOfDeleted = ViewPlugin.define((view) => {
  const fit = () => {
    view.requestMeasure({
      key: fit,
      read: () =>
        [...view.contentDOM.querySelectorAll<HTMLElement>('.diff-deleted')].map((box) => ({
          line: box.dataset.firstLine ?? '',
          heights: [...box.children].map((row) => row.getBoundingClientRect().height),
        })),
      write: (boxes) => {
        for (const { line, heights } of boxes) {
          const columns = view.dom.querySelectorAll<HTMLElement>(
            `.diff-deleted-gutter[data-first-line="${line}"]`,
          );
          for (const column of columns) {
            for (const [at, cell] of [...column.children].entries()) {
              if (cell instanceof HTMLElement) cell.style.height = `${heights[at] ?? 0}px`;
            }
          }
        }
      },
    });
  };
  fit();
  return {
    update(update) {
      if (update.geometryChanged || update.docChanged || update.viewportChanged) fit();
    },
  };
});

/** Marks, line numbers and signs beside the text. */
export function diffGutters(words: GutterWords) {
  const marker = {
    ai: new TextMarker(words.ai, 'ai', ''),
    human: new TextMarker(words.human, 'human', ''),
    added: new TextMarker('+', 'sign', ''),
  };
  const redraw = (update: {
    state: EditorView['state'];
    startState: EditorView['state'];
    docChanged: boolean;
  }) =>
    update.docChanged ||
    update.state.field(ownershipField) !== update.startState.field(ownershipField) ||
    update.state.field(hunkField) !== update.startState.field(hunkField);
  return [
    gutter({
      class: 'diff-gutter-owner',
      lineMarker: (view, block) => {
        const line = view.state.doc.lineAt(block.from).number - 1;
        const dropped = view.state.field(ownershipField).dropped.get(line);
        const owner = ownerOfLine(view.state, line);
        if (dropped !== undefined)
          return new TextMarker(`${words.human}−${dropped}`, 'human', words.dropped(dropped));
        return owner ? marker[owner] : null;
      },
      lineMarkerChange: redraw,
      initialSpacer: () => marker.ai,
    }),
    lineNumbers(),
    lineNumberWidgetMarker.of((_view, widget) =>
      widget instanceof DeletedLines
        ? new DeletedMarker(widget, (lines, at) => String(lines.firstLine + at))
        : null,
    ),
    gutter({
      class: 'diff-gutter-sign',
      lineMarker: (view, block) =>
        ownerOfLine(view.state, view.state.doc.lineAt(block.from).number - 1) ? marker.added : null,
      widgetMarker: (_view, widget) =>
        widget instanceof DeletedLines ? new DeletedMarker(widget, () => '−') : null,
      lineMarkerChange: redraw,
      initialSpacer: () => marker.added,
    }),
    heightsOfDeleted,
  ];
}
