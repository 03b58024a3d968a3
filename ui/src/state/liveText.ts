import { onNextFrame } from '@/lib/frame';
import { measureFlush } from '@/lib/frameSampler';

/**
 * Text that is still arriving. It grows without passing through the session's store: only the row that shows it
 * subscribes, and hears of it once per frame.
 */
export class LiveText {
  private text = '';
  private shown = '';
  private listeners = new Set<() => void>();

  constructor(text: string) {
    this.text = text;
    this.shown = text;
  }

  /** The text as it was at the last frame. */
  readonly current = (): string => this.shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  append(delta: string): void {
    this.text += delta;
  }

  /** Shows what has arrived. */
  flush(): void {
    if (this.shown === this.text) return;
    this.shown = this.text;
    for (const listener of this.listeners) listener();
  }
}

/** The live texts of one session, by request and block. */
export class LiveTexts {
  private texts = new Map<string, LiveText>();
  private dirty = new Set<LiveText>();
  private scheduled = false;

  get(request: number, block: number): LiveText {
    const key = `${request}:${block}`;
    let text = this.texts.get(key);
    if (!text) {
      text = new LiveText('');
      this.texts.set(key, text);
    }
    return text;
  }

  set(request: number, block: number, value: string): void {
    this.texts.set(`${request}:${block}`, new LiveText(value));
  }

  append(request: number, block: number, delta: string): void {
    const text = this.get(request, block);
    text.append(delta);
    this.dirty.add(text);
    if (this.scheduled) return;
    this.scheduled = true;
    onNextFrame(() => {
      measureFlush(() => {
        this.flush();
      });
    });
  }

  /** Forgets the texts of all requests but those named. */
  keepOnly(requests: readonly number[]): void {
    for (const key of this.texts.keys()) {
      if (!requests.includes(Number.parseInt(key, 10))) this.texts.delete(key);
    }
  }

  private flush(): void {
    this.scheduled = false;
    for (const text of this.dirty) text.flush();
    this.dirty.clear();
  }
}
