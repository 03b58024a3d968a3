import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  conflicts,
  isComposing,
  isKey,
  KEYMAP,
  labelOf,
  leavesTerminal,
  sessionDigit,
  watchComposition,
} from './index';

function press(key: string, change: Partial<KeyboardEventInit> & { keyCode?: number } = {}): KeyboardEvent {
  const { keyCode = 0, ...init } = change;
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  Object.defineProperty(event, 'keyCode', { get: () => keyCode });
  return event;
}

describe('the key map', () => {
  it('has one meaning per key and place', () => {
    expect(conflicts(KEYMAP)).toEqual([]);
  });

  it('would notice two meanings', () => {
    const map = {
      a: { text: 'key.send', place: 'app', keys: 'Mod+Shift+K' },
      b: { text: 'key.send', place: 'list', keys: 'Shift+Mod+K' },
      c: { text: 'key.send', place: 'list', keys: 'Enter' },
      d: { text: 'key.send', place: 'composer', keys: 'Enter' },
    } as const;
    expect(conflicts(map)).toEqual([['a', 'b']]);
  });

  it.each([
    ['newSession', press('n', { ctrlKey: true }), true],
    ['newSession', press('N', { ctrlKey: true, shiftKey: true }), false],
    ['newSession', press('т', { ctrlKey: true, code: 'KeyN' }), true],
    ['newSession', press('n', { ctrlKey: true, altKey: true }), false],
    ['queue', press('Enter', { ctrlKey: true }), true],
    ['send', press('Enter', { ctrlKey: true }), false],
    ['send', press('Enter', { shiftKey: true }), false],
    ['help', press('?', { shiftKey: true }), true],
    ['larger', press('+', { ctrlKey: true, shiftKey: true }), true],
    ['rowToggle', press(' '), true],
  ] as const)('%s', (name, event, expected) => {
    expect(isKey(event, name)).toBe(expected);
  });

  it('leaves a terminal by a few keys only', () => {
    expect(leavesTerminal(press('F6'))).toBe(true);
    expect(leavesTerminal(press('Y', { ctrlKey: true, shiftKey: true }))).toBe(true);
    expect(leavesTerminal(press('Tab'))).toBe(false);
    expect(leavesTerminal(press('k', { ctrlKey: true }))).toBe(false);
  });

  it('counts sessions', () => {
    expect(sessionDigit(press('3', { ctrlKey: true }))).toBe(3);
    expect(sessionDigit(press('0', { ctrlKey: true }))).toBeNull();
    expect(sessionDigit(press('3'))).toBeNull();
  });

  it('reads as people write keys', () => {
    expect(labelOf('Mod+Shift+Backspace')).toBe('Ctrl+Shift+⌫');
  });
});

describe('keys of an input method', () => {
  let stop: () => void;
  beforeEach(async () => {
    stop = watchComposition(document);
    // What the last test pressed belongs to another task.
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
  afterEach(() => {
    stop();
  });

  it.each([
    ['the composing mark', press('Enter', { isComposing: true })],
    ['key code 229', press('Enter', { keyCode: 229 })],
    ['the key Process', press('Process')],
  ])('are known by %s', (_name, event) => {
    expect(isComposing(event)).toBe(true);
    expect(isKey(event, 'send')).toBe(false);
  });

  it('are known right after the composition ended, and only then', async () => {
    document.dispatchEvent(new CompositionEvent('compositionend'));
    const confirming = press('Enter', { keyCode: 13 });
    expect(isComposing(confirming)).toBe(true);
    expect(isComposing(confirming), 'every handler hears the same').toBe(true);
    expect(isComposing(press('Enter', { keyCode: 13 }))).toBe(false);
    document.dispatchEvent(new CompositionEvent('compositionend'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isComposing(press('Enter', { keyCode: 13 })), 'a later key is new').toBe(false);
  });

  it('does not swallow the key after one that was seen to end the composition', () => {
    expect(isComposing(press('Enter', { isComposing: true, keyCode: 229 }))).toBe(true);
    document.dispatchEvent(new CompositionEvent('compositionend'));
    expect(isComposing(press('Enter', { keyCode: 13 }))).toBe(false);
  });
});
