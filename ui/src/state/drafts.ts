import type { Draft } from '@/bindings';

/** Text that is being written reaches the backend at most this long after a key. */
const SAVE_DELAY_MS = 1_000;

/**
 * Texts that are being written in one session, by key: `composer`, `ask:<proposal id>`.
 *
 * They live here and not in the components, so that a card that is closed and opened again, or a session that is
 * left and entered again, finds its text. The backend keeps them beyond a restart.
 */
export class Drafts {
  private values = new Map<string, string>();
  private unsaved = new Set<string>();
  private listeners = new Set<(key: string) => void>();
  private timer: number | undefined;
  private readonly save: (key: string, value: string) => void;

  constructor(save: (key: string, value: string) => void) {
    this.save = save;
  }

  /** What the backend has kept. Text that was not saved yet is newer and stays. */
  load(drafts: readonly Draft[]): void {
    for (const { key, value } of drafts) {
      if (this.unsaved.has(key) || this.values.get(key) === value) continue;
      this.values.set(key, value);
      this.tell(key);
    }
  }

  get(key: string): string {
    return this.values.get(key) ?? '';
  }

  set(key: string, value: string): void {
    if (this.get(key) === value) return;
    this.values.set(key, value);
    this.unsaved.add(key);
    this.timer ??= window.setTimeout(() => {
      this.flush();
    }, SAVE_DELAY_MS);
    this.tell(key);
  }

  /** Text that came back, such as messages that were still waiting: it goes in front of what is there. */
  giveBack(key: string, text: string): void {
    const present = this.get(key);
    this.set(key, present === '' || present === text ? text : `${text}\n\n${present}`);
  }

  /** Saves at once: the person left the field or the window. */
  flush(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    const keys = [...this.unsaved];
    this.unsaved.clear();
    for (const key of keys) this.save(key, this.get(key));
  }

  subscribe(listener: (key: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(key: string): void {
    for (const listener of this.listeners) listener(key);
  }
}
