/** Output that was left out this recently is still called fast. */
const FAST_FOR_MS = 2_000;

/** The rate is that of this long. */
const WINDOW_MS = 1_000;

const LINE_END = 10;

/** How fast output comes, and whether some of it was left out because of that. */
export class FlowMeter {
  private readonly samples: { at: number; lines: number }[] = [];
  private shownBytes = 0;
  private shownLines = 0;
  private leftOutAt = -Infinity;

  /** Output that is drawn. */
  drawn(data: Uint8Array, now: number): void {
    let lines = 0;
    for (const byte of data) if (byte === LINE_END) lines += 1;
    this.shownBytes += data.length;
    this.shownLines += lines;
    this.samples.push({ at: now, lines });
  }

  /** Output that is not drawn: its lines are taken to be as long as those that were. */
  leftOut(bytes: number, now: number): void {
    if (bytes <= 0) return;
    this.leftOutAt = now;
    const share = this.shownBytes > 0 ? this.shownLines / this.shownBytes : 0;
    this.samples.push({ at: now, lines: bytes * share });
  }

  /** Lines per second while output is left out; `null` while all of it is drawn. */
  fast(now: number): number | null {
    while (this.samples[0] && this.samples[0].at < now - WINDOW_MS) this.samples.shift();
    if (now - this.leftOutAt > FAST_FOR_MS) return null;
    const lines = this.samples.reduce((sum, sample) => sum + sample.lines, 0);
    return Math.round((lines * 1_000) / WINDOW_MS);
  }
}
