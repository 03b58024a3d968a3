import type { ITheme } from '@xterm/xterm';

/** The colours of the window for the sixteen of the terminal. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: token('sunken'),
    foreground: token('text'),
    cursor: token('text'),
    cursorAccent: token('sunken'),
    selectionBackground: token('selection'),
    black: token('term-black'),
    red: token('term-red'),
    green: token('term-green'),
    yellow: token('term-yellow'),
    blue: token('term-blue'),
    magenta: token('term-magenta'),
    cyan: token('term-cyan'),
    white: token('term-white'),
    brightBlack: token('term-bright-black'),
    brightRed: token('term-bright-red'),
    brightGreen: token('term-bright-green'),
    brightYellow: token('term-bright-yellow'),
    brightBlue: token('term-bright-blue'),
    brightMagenta: token('term-bright-magenta'),
    brightCyan: token('term-bright-cyan'),
    brightWhite: token('term-bright-white'),
  };
}

/** Size of code at 100 %, in pixels. */
const CODE_PX = 13;

/** The terminal's text size follows the window's. */
export function terminalFontSize(): number {
  const scale = Number(document.documentElement.style.getPropertyValue('--ui-scale')) || 100;
  return Math.round((CODE_PX * scale) / 100);
}

/** Calls back when theme or size of the window change. */
export function onAppearance(change: () => void): () => void {
  const observer = new MutationObserver(change);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'style'] });
  return () => {
    observer.disconnect();
  };
}
