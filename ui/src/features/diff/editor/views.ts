import { history, historyField } from '@codemirror/commands';
import { Change, MergeView } from '@codemirror/merge';
import { EditorState, Text, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { align, hunksOf, LineNumbers, type Hunk } from '@/lib/diff';
import { collapseUnchanged, expandLines } from './collapse';
import { deletedLines } from './deleted';
import { noLineEnd } from './finalNewline';
import { diffGutters } from './gutters';
import { hunkBars, hunkSpaces, type BarPlace } from './hunkBar';
import { BaseLines, comparedWith, hunkField, hunksIn, setHunks } from './hunks';
import { lineMarks } from './marks';
import { removedLines, removedSigns } from './removed';
import { baseExtensions, editingExtensions, readingExtensions, wrapCompartment } from './setup';
import type { EditorWords } from './words';

/** What a view of a proposal needs to know. */
export interface ViewOptions {
  base: string;
  /** The model's text. */
  proposal: string;
  /** The text as it stands. */
  text: string;
  editable: 'editable' | 'fixed';
  bars: BarPlace;
  wrap: 'wrap' | 'scroll';
  words: EditorWords;
  /** The editor's own memory of an earlier view. */
  memory: unknown;
  onChange: (text: string) => void;
}

/** A mounted view: the editor of the text, and how to end it. */
export interface MountedView {
  mode: 'unified' | 'split';
  editable: ViewOptions['editable'];
  after: EditorView;
  before: EditorView | null;
  destroy: () => void;
}

const MEMORY_FIELDS = { history: historyField };

/** The editor's memory, to go on with in another view of the same text. */
export function rememberEditor(view: EditorView): unknown {
  return view.state.toJSON(MEMORY_FIELDS);
}

/** The undo history of an earlier view, if it belongs to this very text. */
function historyFrom({ memory, text, editable }: ViewOptions): Extension {
  if (editable === 'fixed' || typeof memory !== 'object' || memory === null) return [];
  if (!('doc' in memory) || memory.doc !== text) return [];
  const config = { extensions: [history(), EditorState.lineSeparator.of('\n')] };
  const before = EditorState.fromJSON(memory, config, MEMORY_FIELDS);
  return historyField.init(() => before.field(historyField));
}

function afterExtensions(options: ViewOptions, base: BaseLines, hunks: readonly Hunk[]): Extension[] {
  const { words } = options;
  const editable = options.editable === 'editable';
  return [
    baseExtensions(words.after, options.proposal),
    noLineEnd(words.noLineEnd),
    editable ? editingExtensions() : readingExtensions(),
    historyFrom(options),
    comparedWith(base, hunks),
    lineMarks(words.lines),
    diffGutters(words.gutter),
    editable ? hunkBars(options.bars, words.bar, options.proposal) : [],
    wrapCompartment.of(options.wrap === 'wrap' ? EditorView.lineWrapping : []),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onChange(update.state.doc.toString());
    }),
  ];
}

/** Old and new lines in one column. */
export function mountUnified(parent: HTMLElement, options: ViewOptions): MountedView {
  const { words } = options;
  const base = new BaseLines(options.base);
  const doc = Text.of(options.text.split('\n'));
  const extensions = [
    afterExtensions(options, base, base.compare(doc)),
    deletedLines({ ...words.deleted, noLineEnd: options.base.endsWith('\n') ? '' : words.noLineEnd }),
    collapseUnchanged(words.collapse, (view, at, lines) => {
      view.dispatch({ effects: expandLines.of({ at, lines }) });
    }),
  ];
  const view = new EditorView({ doc, extensions, parent });
  return {
    mode: 'unified',
    editable: options.editable,
    after: view,
    before: null,
    destroy: () => {
      view.destroy();
    },
  };
}

/** Old text left, new text right. */
export function mountSplit(parent: HTMLElement, options: ViewOptions): MountedView {
  const { words } = options;
  const both: { merge: MergeView | null } = { merge: null };
  const expandBoth = (view: EditorView, at: number, lines: 'all' | number) => {
    const { merge } = both;
    if (!merge) return;
    const other = view === merge.a ? merge.b : merge.a;
    const line = view.state.doc.lineAt(at).number - 1;
    const across = lineAcross(hunksIn(view.state), line);
    view.dispatch({ effects: expandLines.of({ at, lines }) });
    const there = other.state.doc.line(Math.min(other.state.doc.lines, across + 1)).from;
    other.dispatch({ effects: expandLines.of({ at: there, lines }) });
  };
  const collapse = collapseUnchanged(words.collapse, expandBoth);
  const base = new BaseLines(options.base);
  const doc = Text.of(options.text.split('\n'));
  const hunks = base.compare(doc);
  const followHunks = EditorView.updateListener.of((update) => {
    const hunks = hunksIn(update.state);
    if (hunks === hunksIn(update.startState) || !both.merge) return;
    both.merge.a.dispatch({ effects: setHunks.of(hunks.map(turned)) });
  });
  const merge = new MergeView({
    a: {
      doc: Text.of(options.base.split('\n')),
      extensions: [
        baseExtensions(words.before, options.base),
        noLineEnd(words.noLineEnd),
        readingExtensions(),
        hunkField.init(() => ({ base: new BaseLines(''), hunks: hunks.map(turned) })),
        removedLines(),
        options.editable === 'editable' && options.bars === 'below' ? hunkSpaces() : [],
        lineNumbers(),
        removedSigns(),
        wrapCompartment.of(options.wrap === 'wrap' ? EditorView.lineWrapping : []),
        collapse,
      ],
    },
    b: { doc, extensions: [afterExtensions(options, base, hunks), collapse, followHunks] },
    parent,
    gutter: false,
    highlightChanges: false,
    diffConfig: { override: lineComparison() },
  });
  both.merge = merge;
  return {
    mode: 'split',
    editable: options.editable,
    after: merge.b,
    before: merge.a,
    destroy: () => {
      merge.destroy();
    },
  };
}

/** A hunk seen from the other side. */
function turned(hunk: Hunk): Hunk {
  return { oldFrom: hunk.newFrom, oldTo: hunk.newTo, newFrom: hunk.oldFrom, newTo: hunk.oldTo };
}

/** The line beside an unchanged one. */
function lineAcross(hunks: readonly Hunk[], line: number): number {
  const before = hunks.findLast((hunk) => hunk.newTo <= line);
  return before ? line - before.newTo + before.oldTo : line;
}

/** While a person types, a piece of more lines than this product is not compared again: it stays one change. */
const MAX_RETYPED_PRODUCT = 4_000_000;

/** Our line comparison in the form the two-column view asks for: first whole texts, then pieces of them. */
export function lineComparison(): (a: string, b: string) => readonly Change[] {
  let first = true;
  return (a, b) => {
    const whole = first;
    first = false;
    return whole || countBreaks(a) * countBreaks(b) < MAX_RETYPED_PRODUCT
      ? lineChanges(a, b)
      : [new Change(0, a.length, 0, b.length)];
  };
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The lines that differ. */
export function lineChanges(a: string, b: string): readonly Change[] {
  const [oldLines, newLines] = [a.split('\n'), b.split('\n')];
  const numbers = new LineNumbers();
  const hunks = hunksOf(align(numbers.of(oldLines), numbers.of(newLines)));
  const [oldStarts, newStarts] = [starts(oldLines), starts(newLines)];
  return hunks.map((hunk) => {
    const from = { a: oldStarts[hunk.oldFrom] ?? 0, b: newStarts[hunk.newFrom] ?? 0 };
    const to = { a: oldStarts[hunk.oldTo] ?? 0, b: newStarts[hunk.newTo] ?? 0 };
    // Lines at the very end have no line end after them: the one before goes along.
    const atEnd = to.a > a.length || to.b > b.length;
    const back = atEnd && from.a > 0 && from.b > 0 ? 1 : 0;
    return new Change(
      Math.min(a.length, from.a - back),
      Math.min(a.length, to.a - back),
      Math.min(b.length, from.b - back),
      Math.min(b.length, to.b - back),
    );
  });
}

/** Where each line begins; one more entry than lines. */
function starts(lines: readonly string[]): number[] {
  const at = [0];
  for (const line of lines) at.push((at.at(-1) ?? 0) + line.length + 1);
  return at;
}
