import { beforeEach, describe, expect, it } from 'vitest';
import type { TerminalSnapshot } from '@/bindings';
import { shell } from '@/dev/builders';
import { TerminalFeed } from './terminalFeed';

function frame(offset: number, text: string): ArrayBuffer {
  const bytes = new TextEncoder().encode(text);
  const buffer = new ArrayBuffer(8 + bytes.length);
  new DataView(buffer).setBigUint64(0, BigInt(offset), true);
  new Uint8Array(buffer, 8).set(bytes);
  return buffer;
}

function snapshot(offset: number): TerminalSnapshot {
  return { shell: shell(), offset, cols: 80, rows: 24, screen_base64: '' };
}

let seen: string[];
let feed: TerminalFeed;

beforeEach(() => {
  seen = [];
  feed = new TerminalFeed(
    {
      snapshot: ({ offset }) => seen.push(`snapshot ${offset}`),
      bytes: (offset, data) => seen.push(`${offset}:${new TextDecoder().decode(data)}`),
      gap: () => seen.push('gap'),
    },
    () => seen.push('again'),
  );
});

describe('output of a terminal', () => {
  it('waits for the snapshot it follows', () => {
    feed.frame(frame(4, 'late'));
    feed.snapshot(snapshot(4));
    expect(seen).toEqual(['snapshot 4', '4:late']);
  });

  it('is drawn once where snapshot and frames overlap', () => {
    feed.frame(frame(0, 'abc'));
    feed.frame(frame(3, 'def'));
    feed.snapshot(snapshot(4));
    feed.frame(frame(6, 'ghi'));
    expect(seen).toEqual(['snapshot 4', '4:ef', '6:ghi']);
  });

  it('asks for a new snapshot when some was left out', () => {
    feed.snapshot(snapshot(0));
    feed.frame(frame(0, ''));
    expect(seen).toEqual(['snapshot 0', 'gap', 'again']);
    feed.frame(frame(90, 'x'));
    feed.snapshot(snapshot(90));
    expect(seen.slice(3)).toEqual(['snapshot 90', '90:x']);
  });

  it('notices a hole by itself', () => {
    feed.snapshot(snapshot(0));
    feed.frame(frame(5, 'x'));
    expect(seen).toEqual(['snapshot 0', 'gap', 'again']);
  });
});
