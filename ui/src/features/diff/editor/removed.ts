import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  gutter,
  GutterMarker,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from '@codemirror/view';
import { hunkField, hunksIn } from './hunks';

const removedLine = Decoration.line({ class: 'diff-line-removed' });

/** Colours the lines of the old text that are gone. For the left side, whose hunks are turned around. */
export function removedLines() {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = draw(view);
      }

      update(update: ViewUpdate) {
        const changed = update.state.field(hunkField) !== update.startState.field(hunkField);
        if (changed || update.viewportChanged) this.decorations = draw(update.view);
      }
    },
    { decorations: (value) => value.decorations },
  );
}

function draw(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  const shown = { from: doc.lineAt(view.viewport.from).number - 1, to: doc.lineAt(view.viewport.to).number };
  for (const hunk of hunksIn(view.state)) {
    const to = Math.min(hunk.newTo, doc.lines, shown.to);
    for (let line = Math.max(hunk.newFrom, shown.from); line < to; line += 1) {
      const { from } = doc.line(line + 1);
      builder.add(from, from, removedLine);
    }
  }
  return builder.finish();
}

class MinusMarker extends GutterMarker {
  override toDOM(): Node {
    return document.createTextNode('−');
  }
}

const minus = new MinusMarker();

/** A minus sign beside each of those lines: colour alone never says it. */
export function removedSigns() {
  return gutter({
    class: 'diff-gutter-sign',
    lineMarker: (view, block) => {
      const line = view.state.doc.lineAt(block.from).number - 1;
      return hunksIn(view.state).some((hunk) => line >= hunk.newFrom && line < hunk.newTo) ? minus : null;
    },
    lineMarkerChange: (update) => update.state.field(hunkField) !== update.startState.field(hunkField),
    initialSpacer: () => minus,
  });
}
