/** What was seen between start and stop. Times in milliseconds. */
export interface FrameReport {
  gaps: number[];
  flushes: number[];
  counts: Record<string, number>;
}

/** Measures the gaps between frames, and how long each batch of events took. */
export class FrameSampler {
  private gaps: number[] = [];
  private running = false;
  private last = 0;

  start(): void {
    this.gaps = [];
    this.running = true;
    this.last = performance.now();
    resetMeasures();
    const frame = (now: number) => {
      if (!this.running) return;
      this.gaps.push(now - this.last);
      this.last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop(): FrameReport {
    this.running = false;
    return { gaps: this.gaps, flushes: [...flushes], counts: Object.fromEntries(counts) };
  }
}

const flushes: number[] = [];
const counts = new Map<string, number>();

/** More are not kept: a long run must not grow without end. */
const MAX_FLUSHES = 20_000;

function resetMeasures(): void {
  flushes.length = 0;
  counts.clear();
}

/** Times a batch of work on the way to the screen, with the drawing it causes. Only in builds for tests. */
export function measureFlush(work: () => void): void {
  if (import.meta.env.VITE_TEST_HOOKS !== '1') {
    work();
    return;
  }
  const start = performance.now();
  work();
  // The views draw in a microtask that the work has asked for; this one comes after it.
  queueMicrotask(() => {
    if (flushes.length < MAX_FLUSHES) flushes.push(performance.now() - start);
  });
}

/** Counts something, such as how often a row was drawn. */
export function countOnce(name: string): void {
  if (import.meta.env.VITE_TEST_HOOKS !== '1') return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
