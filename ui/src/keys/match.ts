import { isComposing } from './isComposing';
import { KEYMAP, MAX_SESSION_DIGIT, type KeyBinding, type KeyName } from './keymap';

/** What a handler needs of a key event, the browser's or React's. */
export interface KeyPress {
  key: string;
  code: string;
  keyCode: number;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  isComposing?: boolean;
  nativeEvent?: KeyboardEvent;
}

/** Keys whose character needs Shift on some keyboards. */
const SHIFT_FREE = new Set(['?', '=', '-', '0', ',']);

function onMac(): boolean {
  return document.documentElement.dataset.platform === 'macos';
}

/** Whether this press is that key of the map. A key of an input method never is. */
export function isKey(event: KeyPress, name: KeyName): boolean {
  if (isComposing(event)) return false;
  return pressMatches(event, KEYMAP[name].keys);
}

/** The digit of Mod+1 … Mod+9, if it is one of those. */
export function sessionDigit(event: KeyPress): number | null {
  if (!modOnly(event) || event.altKey || event.shiftKey) return null;
  const digit = Number(event.key);
  return Number.isInteger(digit) && digit >= 1 && digit <= MAX_SESSION_DIGIT ? digit : null;
}

/** Whether a terminal that takes every key leaves this one to the window. */
export function leavesTerminal(event: KeyPress): boolean {
  return Object.values<KeyBinding>(KEYMAP).some(
    (binding) => binding.leavesTerminal === true && pressMatches(event, binding.keys),
  );
}

function modOnly(event: KeyPress): boolean {
  return onMac() ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}

function pressMatches(event: KeyPress, keys: string): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const wants = (part: string) => parts.slice(0, -1).includes(part);
  if (wants('Mod') ? !modOnly(event) : event.ctrlKey || event.metaKey) return false;
  if (wants('Alt') !== event.altKey) return false;
  if (wants('Shift') !== event.shiftKey && !SHIFT_FREE.has(key)) return false;
  return keyMatches(event, key);
}

function keyMatches(event: KeyPress, key: string): boolean {
  if (key === 'Space') return event.key === ' ';
  if (key === '=') return event.key === '=' || event.key === '+';
  if (!/^[A-Z]$/.test(key)) return event.key === key;
  if (/^[a-z]$/i.test(event.key)) return event.key.toUpperCase() === key;
  // Keyboards of other scripts: the place of the key decides.
  return event.code === `Key${key}`;
}

/** The key as people read it on this system. */
export function keyLabel(name: KeyName): string {
  return labelOf(KEYMAP[name].keys);
}

const LABELS: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Backspace: '⌫',
  Enter: '⏎',
};

export function labelOf(keys: string): string {
  if (keys === KEYMAP.sessionNumber.keys) return `${labelOf('Mod')}+1…${MAX_SESSION_DIGIT}`;
  return keys
    .split('+')
    .map((part) => (part === 'Mod' ? (onMac() ? '⌘' : 'Ctrl') : (LABELS[part] ?? part)))
    .join('+');
}
