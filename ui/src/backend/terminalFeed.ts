import type { TerminalSnapshot } from '@/bindings';
import type { TerminalHandlers } from './types';

/** Bytes of the offset in front of each frame: an unsigned number of 64 bits, little endian. */
const OFFSET_BYTES = 8;

/**
 * Puts the frames of a terminal and its snapshot in order.
 *
 * Frames may arrive before the snapshot that they follow; they are kept until then. A frame the snapshot already
 * contains is cut or dropped, so that no byte is drawn twice. An empty frame says that output was left out.
 */
export class TerminalFeed {
  private readonly handlers: TerminalHandlers;
  private readonly onGap: () => void;
  private waiting: ArrayBuffer[] = [];
  private next: number | null = null;

  constructor(handlers: TerminalHandlers, onGap: () => void) {
    this.handlers = handlers;
    this.onGap = onGap;
  }

  snapshot(snapshot: TerminalSnapshot): void {
    this.next = snapshot.offset;
    this.handlers.snapshot(snapshot);
    const waiting = this.waiting;
    this.waiting = [];
    for (const frame of waiting) this.frame(frame);
  }

  frame(frame: ArrayBuffer): void {
    if (this.next === null) {
      this.waiting.push(frame);
      return;
    }
    const data = new Uint8Array(frame, OFFSET_BYTES);
    const offset = Number(new DataView(frame).getBigUint64(0, true));
    if (data.length === 0 || offset > this.next) {
      this.next = null;
      this.waiting = [];
      this.handlers.gap();
      this.onGap();
      return;
    }
    const fresh = data.subarray(Math.min(this.next - offset, data.length));
    if (fresh.length === 0) return;
    this.handlers.bytes(this.next, fresh);
    this.next += fresh.length;
  }
}
