/** Text needs at least this contrast to what is behind it. */
const MIN_CONTRAST = 4.5;

/** How far a colour is moved in one step; finer steps are not seen. */
const STEP = 0.1;

/** A colour as near to `color` as can be read on `behind`; all three are red, green and blue in one number. */
export function readableOn(color: number, behind: number): number {
  const target = luminance(behind) > 0.18 ? 0x000000 : 0xffffff;
  for (let share = 0; share < 1; share += STEP) {
    const moved = mix(color, target, share);
    if (contrast(moved, behind) >= MIN_CONTRAST) return moved;
  }
  return target;
}

/** The contrast of two colours, 1 to 21, as WCAG has it. */
export function contrast(a: number, b: number): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** `#rrggbb` as a number. */
export function parseHex(hex: string): number {
  return Number.parseInt(hex.trim().replace(/^#/, ''), 16);
}

/** A number as `#rrggbb`. */
export function toHex(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

function channels(color: number): [number, number, number] {
  return [(color >> 16) & 255, (color >> 8) & 255, color & 255];
}

function mix(from: number, to: number, share: number): number {
  const target = channels(to);
  return channels(from).reduce((all, value, at) => {
    const channel = Math.round(value + ((target[at] ?? 0) - value) * share);
    return (all << 8) | channel;
  }, 0);
}

function luminance(color: number): number {
  const [red, green, blue] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
