/**
 * Characters that would not be seen, or that change how others are read: they are drawn as boxes with their number.
 * Tabs and blanks at the end of a line get marks of their own.
 */
export const SPECIAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]/g;

/** A tab, or blanks at the end of a line. */
export const BLANKS = /\t| +$/g;

/** `U+202E`, or a short name for the ones everybody knows. */
export function specialLabel(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0d) return 'CR';
  if (code === 0xa0) return 'NBSP';
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
