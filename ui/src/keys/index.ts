export { isComposing, watchComposition } from './isComposing';
export { conflicts, KEYMAP, type KeyBinding, type KeyName, type KeyPlace } from './keymap';
export { isKey, keyLabel, labelOf, leavesTerminal, sessionDigit, type KeyPress } from './match';
