/** A colour of the terminal: one of the sixteen of the theme, or red, green and blue in one number. */
export type Color = { kind: 'theme'; index: number } | { kind: 'rgb'; value: number };

/** How a piece of a line looks. Absent: as the theme has it. */
export interface Style {
  fg: Color | null;
  bg: Color | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}

/** Text as the theme has it. */
export const PLAIN: Style = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};

/** The first colours of the palette of 256 belong to the theme. */
const THEME_COLORS = 16;
/** Then a cube with six steps of each colour, then greys. */
const CUBE_STEPS = [0, 95, 135, 175, 215, 255] as const;
const GREYS_FROM = 232;

/** A colour of its own for the line below the text, which has the colour of the text here. */
const UNDERLINE_COLOR = 58;

/** What follows is not for colours, whatever letter it ends with. */
const PRIVATE = /^[<=>?]/;

/** Applies the parameters of one `CSI … m`. Unknown ones change nothing. */
export function applySgr(before: Style, parameters: string): Style {
  if (PRIVATE.test(parameters)) return before;
  const groups = parameters.split(';').map((group) => group.split(':').map(Number));
  let style = before;
  for (let at = 0; at < groups.length; at += 1) {
    const [code = 0, ...details] = groups[at] ?? [];
    if (code !== 38 && code !== 48 && code !== UNDERLINE_COLOR) {
      style = simple(style, code === 4 && details[0] === 0 ? 24 : code);
      continue;
    }
    // With colons the colour is in the same group, with semicolons in the ones that follow.
    const inGroup = details.length > 0;
    const numbers = inGroup ? details : groups.slice(at + 1, at + 5).map(([number = 0]) => number);
    const { color, used } = extended(numbers, inGroup);
    if (!inGroup) at += used;
    if (color && code !== UNDERLINE_COLOR) style = { ...style, [code === 38 ? 'fg' : 'bg']: color };
  }
  return style;
}

function simple(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, fg: theme(code - 30) };
  if (code >= 40 && code <= 47) return { ...style, bg: theme(code - 40) };
  if (code >= 90 && code <= 97) return { ...style, fg: theme(code - 90 + 8) };
  if (code >= 100 && code <= 107) return { ...style, bg: theme(code - 100 + 8) };
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
    case 21:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 9:
      return { ...style, strike: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 29:
      return { ...style, strike: false };
    case 39:
      return { ...style, fg: null };
    case 49:
      return { ...style, bg: null };
    default:
      return style;
  }
}

function theme(index: number): Color {
  return { kind: 'theme', index };
}

/** A colour of the palette or of the whole range, and how many numbers it took. */
function extended(numbers: readonly number[], inGroup: boolean): { color: Color | null; used: number } {
  const [kind, ...rest] = numbers;
  if (kind === 5) return { color: ofPalette(rest[0] ?? 0), used: 2 };
  if (kind !== 2) return { color: null, used: 1 };
  // With colons the name of a colour space may come before the three.
  const [red = 0, green = 0, blue = 0] = inGroup && rest.length > 3 ? rest.slice(1) : rest;
  return { color: rgb(red, green, blue), used: 4 };
}

function ofPalette(index: number): Color {
  if (index < THEME_COLORS) return theme(index);
  if (index >= GREYS_FROM) {
    const grey = 8 + (index - GREYS_FROM) * 10;
    return rgb(grey, grey, grey);
  }
  const at = index - THEME_COLORS;
  const step = (value: number) => CUBE_STEPS[value % 6] ?? 0;
  return rgb(step(Math.floor(at / 36)), step(Math.floor(at / 6)), step(at));
}

function rgb(red: number, green: number, blue: number): Color {
  return { kind: 'rgb', value: ((red & 255) << 16) | ((green & 255) << 8) | (blue & 255) };
}
