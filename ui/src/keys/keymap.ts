import type { PlainKey } from '@/i18n';

/** Where a key works. `app` is everywhere; the others are regions of the window. */
export type KeyPlace =
  'app' | 'composer' | 'confirmation' | 'diff' | 'editor' | 'list' | 'transcript' | 'terminal';

export interface KeyBinding {
  /** What it does; also the name of its sentence in Help. */
  text: PlainKey;
  place: KeyPlace;
  /** `Mod` is Ctrl, on macOS Cmd. */
  keys: string;
  /** Works in a terminal that takes every other key. */
  leavesTerminal?: true;
}

/** Every key of the window. Help shows this list; a unit test finds two meanings of one key. */
export const KEYMAP = {
  newSession: { text: 'key.session.new', place: 'app', keys: 'Mod+N' },
  openProject: { text: 'key.project.open', place: 'app', keys: 'Mod+O' },
  sessionNumber: { text: 'key.session.number', place: 'app', keys: 'Mod+1' },
  sidebar: { text: 'key.sidebar', place: 'app', keys: 'Mod+B' },
  rightPanel: { text: 'key.rightpanel', place: 'app', keys: 'Mod+J' },
  settings: { text: 'key.settings', place: 'app', keys: 'Mod+,' },
  composer: { text: 'key.composer', place: 'app', keys: 'Mod+L' },
  nextRegion: { text: 'key.region.next', place: 'app', keys: 'F6', leavesTerminal: true },
  previousRegion: { text: 'key.region.previous', place: 'app', keys: 'Shift+F6', leavesTerminal: true },
  confirmation: { text: 'key.confirmation', place: 'app', keys: 'Mod+Shift+Y', leavesTerminal: true },
  find: { text: 'key.find', place: 'app', keys: 'Mod+F' },
  search: { text: 'key.search', place: 'app', keys: 'Mod+Shift+F' },
  stop: { text: 'key.stop', place: 'app', keys: 'Mod+Shift+K' },
  todos: { text: 'key.todos', place: 'app', keys: 'Mod+Shift+T' },
  changes: { text: 'key.changes', place: 'app', keys: 'Mod+Shift+D' },
  larger: { text: 'key.larger', place: 'app', keys: 'Mod+=' },
  smaller: { text: 'key.smaller', place: 'app', keys: 'Mod+-' },
  normalSize: { text: 'key.normal', place: 'app', keys: 'Mod+0' },
  help: { text: 'key.help', place: 'app', keys: '?' },
  send: { text: 'key.send', place: 'composer', keys: 'Enter' },
  newLine: { text: 'key.newline', place: 'composer', keys: 'Shift+Enter' },
  queue: { text: 'key.queue', place: 'composer', keys: 'Mod+Enter' },
  history: { text: 'key.history', place: 'composer', keys: 'ArrowUp' },
  stopEscape: { text: 'key.stop.escape', place: 'composer', keys: 'Escape' },
  allow: { text: 'key.allow', place: 'confirmation', keys: 'Mod+Enter' },
  reject: { text: 'key.reject', place: 'confirmation', keys: 'Mod+Backspace' },
  rejectWhy: { text: 'key.rejectwhy', place: 'confirmation', keys: 'Mod+Shift+Backspace' },
  leave: { text: 'key.leave', place: 'confirmation', keys: 'Escape' },
  expand: { text: 'key.expand', place: 'confirmation', keys: 'E' },
  nextChange: { text: 'key.change.next', place: 'diff', keys: 'F8' },
  previousChange: { text: 'key.change.previous', place: 'diff', keys: 'Shift+F8' },
  nextChangePage: { text: 'key.change.next.alt', place: 'diff', keys: 'Alt+PageDown' },
  previousChangePage: { text: 'key.change.previous.alt', place: 'diff', keys: 'Alt+PageUp' },
  originalText: { text: 'key.hunk.original', place: 'diff', keys: 'O' },
  restoreText: { text: 'key.hunk.restore', place: 'diff', keys: 'A' },
  readStats: { text: 'key.stats', place: 'diff', keys: 'Mod+Shift+S' },
  undo: { text: 'key.undo', place: 'editor', keys: 'Mod+Z' },
  redo: { text: 'key.redo', place: 'editor', keys: 'Mod+Shift+Z' },
  listUp: { text: 'key.list.up', place: 'list', keys: 'ArrowUp' },
  listDown: { text: 'key.list.down', place: 'list', keys: 'ArrowDown' },
  listFirst: { text: 'key.list.first', place: 'list', keys: 'Home' },
  listLast: { text: 'key.list.last', place: 'list', keys: 'End' },
  listOpen: { text: 'key.list.open', place: 'list', keys: 'Enter' },
  listRename: { text: 'key.list.rename', place: 'list', keys: 'F2' },
  listDelete: { text: 'key.list.delete', place: 'list', keys: 'Delete' },
  rowNext: { text: 'key.row.next', place: 'transcript', keys: 'J' },
  rowPrevious: { text: 'key.row.previous', place: 'transcript', keys: 'K' },
  rowToggle: { text: 'key.row.toggle', place: 'transcript', keys: 'Space' },
  rowCopy: { text: 'key.row.copy', place: 'transcript', keys: 'C' },
  terminalCopy: { text: 'key.terminal.copy', place: 'terminal', keys: 'Mod+Shift+C' },
  terminalPaste: { text: 'key.terminal.paste', place: 'terminal', keys: 'Mod+Shift+V' },
} as const satisfies Record<string, KeyBinding>;

export type KeyName = keyof typeof KEYMAP;

/** Sessions can be opened by their place in the list with Mod and a digit up to this one. */
export const MAX_SESSION_DIGIT = 9;

/** Regions that lie inside each other, so that a key of one also arrives in the other. */
const NESTED: readonly (readonly [KeyPlace, KeyPlace])[] = [
  ['confirmation', 'diff'],
  ['confirmation', 'editor'],
  ['diff', 'editor'],
];

/** Pairs of names that one key press could mean. Empty in a sound map. */
export function conflicts(map: Readonly<Record<string, KeyBinding>>): [string, string][] {
  const names = Object.keys(map);
  const found: [string, string][] = [];
  for (const [at, name] of names.entries()) {
    for (const other of names.slice(at + 1)) {
      const [a, b] = [map[name], map[other]];
      if (a && b && normalKeys(a.keys) === normalKeys(b.keys) && meet(a.place, b.place))
        found.push([name, other]);
    }
  }
  return found;
}

function normalKeys(keys: string): string {
  return keys.split('+').sort().join('+').toLowerCase();
}

function meet(a: KeyPlace, b: KeyPlace): boolean {
  if (a === b || a === 'app' || b === 'app') return true;
  return NESTED.some(([outer, inner]) => (outer === a && inner === b) || (outer === b && inner === a));
}
