import { RangeSet, StateField, type EditorState } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';

class NoLineEnd extends WidgetType {
  private readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: NoLineEnd): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = 'no-line-end';
    mark.textContent = this.text;
    return mark;
  }
}

/** Says behind the last line that it has no line end. A text with one shows an empty line there. No words: nothing. */
export function noLineEnd(words: string) {
  const widget = Decoration.widget({ widget: new NoLineEnd(words), side: 1 });
  const build = ({ doc }: EditorState): DecorationSet =>
    words === '' || doc.line(doc.lines).length === 0
      ? Decoration.none
      : RangeSet.of([widget.range(doc.length)]);
  return StateField.define<DecorationSet>({
    create: build,
    update: (value, transaction) => (transaction.docChanged ? build(transaction.state) : value),
    provide: (field) => EditorView.decorations.from(field),
  });
}
