import { createStore, type StoreApi } from 'zustand/vanilla';
import { begin } from '@/lib/activity';
import type { DiffStat, FileDiff, ProposalId, SavedOutside } from '@/bindings';
import type { Hunk, Owner } from '@/lib/diff';
import { countInWorker } from '@/workers/pool';
import { changedRange } from './changedRange';

/** Counting starts this long after the last key … */
const QUIET_MS = 80;

/** … and at least this often while the person keeps typing. */
const BUSY_MS = 250;

/** What is known of the person's own editor: nothing, that it was asked to open a copy, what its newest save was. */
export type Outside = 'none' | 'open' | SavedOutside['kind'];

/** A proposal as it stands in its editor. */
export interface ProposalState {
  /** The text that would be written. */
  text: string;
  /** The person changed something, now or before: “You” is shown from then on. */
  touched: boolean;
  stat: DiffStat;
  statState: 'pending' | 'fresh';
  owners: readonly (Owner | null)[];
  dropped: ReadonlyMap<number, number>;
  /** What differs from the base, as counted last. */
  hunks: readonly Hunk[];
  /** Layout the person chose in the review pane. */
  mode: 'unified' | 'split';
  outside: Outside;
}

/** Two views of one proposal are counted apart: the worker knows them by number. */
let opened = 0;

/**
 * One proposal and what the person makes of it. It outlives the editors that show it, so that a card that is left and
 * entered again, or opened in the review pane, has its text, its history and its numbers.
 */
export class Proposal {
  readonly id: ProposalId;
  readonly diff: FileDiff;
  readonly base: string;
  readonly ai: string;
  readonly store: StoreApi<ProposalState>;
  /** The editor's own memory (undo history), kept while no editor is mounted. */
  editorMemory: unknown = null;
  /** The mounted editor's way to take a whole text as one change that can be undone. */
  replaceInEditor: ((text: string) => void) | null = null;

  private readonly key: string;
  private counted: string;
  private timer: number | undefined;
  private lastCount = 0;
  private asked = 0;
  private settle: (() => void) | null = null;

  constructor(id: ProposalId, diff: FileDiff, text: string | null) {
    this.id = id;
    this.key = `${id}#${++opened}`;
    this.diff = diff;
    this.base = diff.base_text ?? '';
    this.ai = diff.new_text ?? '';
    this.counted = text ?? this.ai;
    this.store = createStore<ProposalState>(() => ({
      text: text ?? this.ai,
      touched: text !== null && text !== this.ai,
      stat: diff.stat,
      statState: 'pending',
      owners: [],
      dropped: new Map(),
      hunks: [],
      mode: 'unified',
      outside: 'none',
    }));
    void this.show(
      countInWorker({ op: 'open', key: this.key, base: this.base, proposal: this.ai, final: this.counted }),
    );
  }

  /** Whether the text differs from the model's. */
  isDirty(): boolean {
    return this.store.getState().text !== this.ai;
  }

  setText(text: string): void {
    const { text: before, touched } = this.store.getState();
    if (text === before) return;
    this.store.setState({ text, touched: touched || text !== this.ai, statState: 'pending' });
    this.settle ??= begin();
    const sinceLast = performance.now() - this.lastCount;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(
      () => {
        this.count();
      },
      Math.min(QUIET_MS, Math.max(0, BUSY_MS - sinceLast)),
    );
  }

  /** The person's own editor has the text, too. */
  openedOutside(): void {
    this.store.setState({ outside: 'open' });
  }

  /** What the person's own editor saved takes the place of the whole text, if it can. */
  takeSaved(saved: SavedOutside): void {
    this.store.setState({ outside: saved.kind });
    if (saved.kind !== 'text' || saved.text === this.store.getState().text) return;
    if (this.replaceInEditor) this.replaceInEditor(saved.text);
    else this.setText(saved.text);
  }

  /** The card is gone for good. */
  close(): void {
    window.clearTimeout(this.timer);
    this.asked += 1;
    this.settled();
    void countInWorker({ op: 'close', key: this.key });
  }

  private count(): void {
    this.lastCount = performance.now();
    const { text } = this.store.getState();
    const change = changedRange(this.counted, text);
    this.counted = text;
    void this.show(countInWorker({ op: 'change', key: this.key, ...change }));
  }

  private async show(answer: ReturnType<typeof countInWorker>): Promise<void> {
    const number = ++this.asked;
    try {
      const counted = await answer;
      // A newer question is on its way: its answer will be shown.
      if (!counted || number !== this.asked) return;
      const { text, stat } = this.store.getState();
      const statState = text === this.counted ? 'fresh' : 'pending';
      // The same numbers are the same object: nothing is drawn again.
      const same = JSON.stringify(stat) === JSON.stringify(counted.stat);
      this.store.setState({ ...counted, stat: same ? stat : counted.stat, statState });
      if (statState === 'fresh') this.settled();
    } catch (error) {
      // The old numbers stay, marked as not up to date; the backend counts again anyway.
      console.warn('counting lines failed', error);
      this.settled();
    }
  }

  private settled(): void {
    this.settle?.();
    this.settle = null;
  }
}
