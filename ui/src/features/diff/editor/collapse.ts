import { RangeSet, StateEffect, StateField, type EditorState, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import type { Hunk } from '@/lib/diff';
import { tid } from '@/testids';
import { hunkField, hunksIn } from './hunks';

/** Unchanged lines that stay beside a change, and the smallest run worth hiding. */
const CONTEXT_LINES = 3;
const MIN_HIDDEN_LINES = 4;

/** One press shows this many more lines. */
export const EXPAND_LINES = 20;

/** Shows hidden lines: all of the run at a position, or some at its start. */
export const expandLines = StateEffect.define<{ at: number; lines: 'all' | number }>({
  map: (value, changes) => ({ ...value, at: changes.mapPos(value.at) }),
});

/** Words on the bar. */
export interface CollapseWords {
  all: (lines: number) => string;
  hint: string;
  some: (lines: number) => string;
}

class HiddenLines extends WidgetType {
  private readonly lines: number;
  private readonly words: CollapseWords;
  private readonly onExpand: (view: EditorView, at: number, lines: 'all' | number) => void;

  constructor(lines: number, words: CollapseWords, onExpand: HiddenLines['onExpand']) {
    super();
    this.lines = lines;
    this.words = words;
    this.onExpand = onExpand;
  }

  override eq(other: HiddenLines): boolean {
    return other.lines === this.lines;
  }

  override toDOM(view: EditorView): HTMLElement {
    const bar = document.createElement('div');
    bar.className = 'diff-collapsed';
    bar.append(this.button(view, bar, tid('diff-collapsed'), `··· ${this.words.all(this.lines)}`, 'all'));
    if (this.lines > EXPAND_LINES) {
      bar.append(
        this.button(view, bar, tid('diff-collapsed-some'), this.words.some(EXPAND_LINES), EXPAND_LINES),
      );
    }
    return bar;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override get estimatedHeight(): number {
    return 26;
  }

  private button(
    view: EditorView,
    bar: HTMLElement,
    id: string,
    text: string,
    lines: 'all' | number,
  ): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'diff-collapsed-button';
    button.dataset.testid = id;
    button.dataset.count = String(this.lines);
    button.textContent = text;
    button.title = this.words.hint;
    button.addEventListener('click', () => {
      this.onExpand(view, view.posAtDOM(bar), lines);
    });
    return button;
  }
}

/**
 * Hides long runs of lines that did not change. A change inside or beside a hidden run shows it; what the person
 * opened stays open.
 */
export function collapseUnchanged(words: CollapseWords, onExpand: HiddenLines['onExpand']) {
  const hide = (state: EditorState, fromLine: number, toLine: number): Range<Decoration> => {
    const widget = new HiddenLines(toLine - fromLine, words, onExpand);
    const from = state.doc.line(fromLine + 1).from;
    return Decoration.replace({ widget, block: true }).range(from, state.doc.line(toLine).to);
  };
  return StateField.define<DecorationSet>({
    create: (state) => RangeSet.of(hiddenRuns(state).map(({ from, to }) => hide(state, from, to))),
    update(value, transaction) {
      const { state } = transaction;
      let next = value.map(transaction.changes);
      for (const effect of transaction.effects)
        if (effect.is(expandLines)) next = expand(next, state, effect.value, hide);
      if (state.field(hunkField) === transaction.startState.field(hunkField)) return next;
      next = withoutChanged(next, state);
      return next;
    },
    provide: (field) => [
      EditorView.decorations.from(field),
      EditorView.atomicRanges.of((view) => view.state.field(field)),
    ],
  });
}

/** Hidden lines that are changed now are shown. */
function withoutChanged(ranges: DecorationSet, state: EditorState): DecorationSet {
  const hunks = hunksIn(state);
  const isChanged = (from: number, to: number) => {
    const [first, last] = [state.doc.lineAt(from).number - 1, state.doc.lineAt(to).number - 1];
    const hunk = hunks[firstHunkFrom(hunks, first)];
    return hunk !== undefined && hunk.newFrom <= last;
  };
  let any = false;
  for (const cursor = ranges.iter(); cursor.value && !any; cursor.next())
    any = isChanged(cursor.from, cursor.to);
  return any ? ranges.update({ filter: (from, to) => !isChanged(from, to) }) : ranges;
}

/** The first hunk that has, or stands directly before, `line` or a line after it. */
function firstHunkFrom(hunks: readonly Hunk[], line: number): number {
  let [low, high] = [0, hunks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const hunk = hunks[middle];
    if (hunk && Math.max(hunk.newTo, hunk.newFrom + 1) <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}

function expand(
  ranges: DecorationSet,
  state: EditorState,
  { at, lines }: { at: number; lines: 'all' | number },
  hide: (state: EditorState, fromLine: number, toLine: number) => Range<Decoration>,
): DecorationSet {
  const add: Range<Decoration>[] = [];
  const kept = ranges.update({
    filter: (from, to) => {
      if (at < from || at > to) return true;
      const first = state.doc.lineAt(from).number - 1;
      const last = state.doc.lineAt(to).number;
      if (lines !== 'all' && last - first - lines >= MIN_HIDDEN_LINES)
        add.push(hide(state, first + lines, last));
      return false;
    },
  });
  return kept.update({ add });
}

function hiddenRuns(state: EditorState): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  const hunks = hunksIn(state);
  let from = 0;
  for (const [at, hunk] of hunks.entries()) {
    pushRun(runs, from, hunk.newFrom - CONTEXT_LINES);
    from = hunk.newTo + CONTEXT_LINES;
    if (at === hunks.length - 1) pushRun(runs, from, state.doc.lines);
  }
  return runs;
}

function pushRun(runs: { from: number; to: number }[], from: number, to: number): void {
  if (to - from >= MIN_HIDDEN_LINES) runs.push({ from, to });
}
