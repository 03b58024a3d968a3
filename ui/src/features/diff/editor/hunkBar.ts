import { RangeSet, StateField, type EditorState } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { isComposing } from '@/keys';
import { tid } from '@/testids';
import { hunkAtLine, hunkField, hunkRange, hunksIn } from './hunks';
import { ownerOfHunk } from './marks';
import { restoreProposal, revertToOriginal } from './actions';

/** Where the buttons of a change stand: over its first line while it is pointed at, or in a line of their own. */
export type BarPlace = 'over' | 'below';

/** Words on the buttons. */
export interface BarWords {
  original: string;
  restore: string;
  hunk: (at: number, total: number) => string;
}

class HunkBar extends WidgetType {
  private readonly place: BarPlace;
  private readonly words: BarWords;
  private readonly proposal: string;

  constructor(place: BarPlace, words: BarWords, proposal: string) {
    super();
    this.place = place;
    this.words = words;
    this.proposal = proposal;
  }

  override eq(other: HunkBar): boolean {
    return other.place === this.place && other.words === this.words;
  }

  override toDOM(view: EditorView): HTMLElement {
    const bar = document.createElement('div');
    bar.className = 'diff-hunk';
    bar.dataset.testid = tid('diff-hunk');
    bar.dataset.place = this.place;
    bar.setAttribute('role', 'group');
    const act = (action: (view: EditorView, at: number) => void) => () => {
      action(view, Number(bar.dataset.key ?? -1));
      view.focus();
    };
    const original = act(revertToOriginal);
    const restore = act((target, at) => {
      restoreProposal(target, at, this.proposal);
    });
    bar.append(
      barButton(tid('hunk-revert-original'), this.words.original, original),
      barButton(tid('hunk-restore-ai'), this.words.restore, restore),
    );
    const holder = document.createElement('div');
    holder.className = 'diff-hunk-holder';
    holder.append(bar);
    bar.addEventListener('keydown', (event) => {
      if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key === 'o') original();
      else if (key === 'a' && bar.dataset.value !== 'ai') restore();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return holder;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  override get estimatedHeight(): number {
    return this.place === 'over' ? 0 : 32;
  }
}

function barButton(id: string, text: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'diff-hunk-button';
  button.dataset.testid = id;
  button.textContent = `↺ ${text}`;
  button.addEventListener('click', onClick);
  return button;
}

/** Buttons for each change. There is no “accept”: a change is accepted by leaving it. */
export function hunkBars(place: BarPlace, words: BarWords, proposal: string) {
  const widget = new HunkBar(place, words, proposal);
  const build = (state: EditorState): DecorationSet =>
    RangeSet.of(
      hunksIn(state).map((hunk) => {
        const { from, to } = hunkRange(state.doc, hunk);
        const below = place === 'below';
        // A position that begins a line; the very end of the text is the only other choice.
        const at = below ? to : from;
        const side = below ? -0.5 : at === state.doc.length && hunk.newFrom >= state.doc.lines ? 2 : -2;
        return Decoration.widget({ widget, block: true, side }).range(at);
      }),
      true,
    );
  const field = StateField.define<DecorationSet>({
    create: build,
    update: (value, transaction) =>
      transaction.state.field(hunkField) === transaction.startState.field(hunkField)
        ? value
        : build(transaction.state),
    provide: (self) => EditorView.decorations.from(self),
  });
  return [field, labelBars(words)];
}

class BarSpace extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const space = document.createElement('div');
    space.className = 'diff-hunk-space';
    return space;
  }
}

/** As much room as the bars take, on the other side of a two-column view: lines stay beside each other. */
export function hunkSpaces() {
  const widget = Decoration.widget({ widget: new BarSpace(), block: true, side: -0.5 });
  const build = (state: EditorState): DecorationSet =>
    RangeSet.of(
      hunksIn(state).map((hunk) => widget.range(hunkRange(state.doc, hunk).to)),
      true,
    );
  return StateField.define<DecorationSet>({
    create: build,
    update: (value, transaction) =>
      transaction.state.field(hunkField) === transaction.startState.field(hunkField)
        ? value
        : build(transaction.state),
    provide: (self) => EditorView.decorations.from(self),
  });
}

/** Numbers the bars, says whose changes they stand for, and shows the one that is pointed at or holds the cursor. */
function labelBars(words: BarWords) {
  return ViewPlugin.fromClass(
    class {
      private pointed = -1;
      private readonly view: EditorView;

      constructor(view: EditorView) {
        this.view = view;
        this.label();
      }

      update(update: ViewUpdate) {
        if (
          update.docChanged ||
          update.viewportChanged ||
          update.selectionSet ||
          update.transactions.length > 0
        ) {
          this.label();
        }
      }

      point(event: MouseEvent): void {
        const at = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
        const line = at === null ? -1 : this.view.state.doc.lineAt(at).number - 1;
        const pointed = line < 0 ? -1 : hunkAtLine(hunksIn(this.view.state), line);
        if (pointed === this.pointed) return;
        this.pointed = pointed;
        this.label();
      }

      /** From the text, the Tab key leads to the buttons of the change at the cursor. */
      toBar(event: KeyboardEvent): boolean {
        if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey)
          return false;
        const { state } = this.view;
        const at = hunkAtLine(hunksIn(state), state.doc.lineAt(state.selection.main.head).number - 1);
        const button = this.view.contentDOM.querySelector<HTMLElement>(`.diff-hunk[data-key="${at}"] button`);
        if (at < 0 || !button || isComposing(event)) return false;
        event.preventDefault();
        button.focus();
        return true;
      }

      private label(): void {
        const { state } = this.view;
        const hunks = hunksIn(state);
        const cursor = hunkAtLine(hunks, state.doc.lineAt(state.selection.main.head).number - 1);
        this.view.requestMeasure({
          key: this,
          read: (view) =>
            [...view.contentDOM.querySelectorAll<HTMLElement>('.diff-hunk')].map((bar) => ({
              bar,
              at: hunkOfBar(view, bar),
            })),
          write: (bars) => {
            for (const { bar, at } of bars) {
              bar.dataset.key = String(at);
              bar.dataset.value = ownerOfHunk(state, at);
              bar.dataset.active = String(at === cursor || at === this.pointed);
              // One stop for the Tab key, not one for each change.
              for (const button of bar.querySelectorAll('button')) button.tabIndex = at === cursor ? 0 : -1;
              bar.setAttribute('aria-label', words.hunk(at + 1, hunks.length));
            }
          },
        });
      }
    },
    {
      eventHandlers: {
        mousemove(event) {
          this.point(event);
        },
        keydown(event) {
          return this.toBar(event);
        },
      },
    },
  );
}

function hunkOfBar(view: EditorView, bar: HTMLElement): number {
  const at = view.posAtDOM(bar);
  const hunks = hunksIn(view.state);
  return hunks.findIndex((hunk) => {
    const { from, to } = hunkRange(view.state.doc, hunk);
    return bar.dataset.place === 'below' ? to === at : from === at;
  });
}
