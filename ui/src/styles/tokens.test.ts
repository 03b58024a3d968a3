import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '..');
const TOKENS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

function sheets(): { path: string; text: string }[] {
  return readdirSync(SOURCE, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.css') && entry.name !== 'tokens.css')
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '') }));
}

describe('colours', () => {
  it('are named in one place', () => {
    const literal =
      /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|color-mix)a?\(|:\s*(?:white|black|red|green|blue)\b/i;
    for (const { path, text } of sheets()) expect(literal.exec(text)?.[0], path).toBeUndefined();
  });

  it('are used only by names that exist', () => {
    const defined = new Set([...TOKENS.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    for (const { path, text } of sheets()) {
      for (const [, name] of text.matchAll(/var\((--[\w-]+)\s*\)/g)) {
        expect(defined.has(name), `${path} uses ${name ?? ''}`).toBe(true);
      }
    }
  });
});

/** The colours of one theme, with what it leaves to the dark one. */
function theme(...selectors: string[]): Record<string, string> {
  const colours: Record<string, string> = {};
  for (const selector of selectors) {
    const start = TOKENS.indexOf(`${selector} {`);
    const block = TOKENS.slice(start, TOKENS.indexOf('}', start));
    for (const [, name, value] of block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/gi)) {
      if (name !== undefined && value !== undefined) colours[name] = value;
    }
  }
  return colours;
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a = '#000000', b = '#000000'): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const DARK = ":root[data-theme='dark']";
const LIGHT = ":root[data-theme='light']";
const THEMES: [string, Record<string, string>][] = [
  ['dark', theme(DARK)],
  ['light', theme(LIGHT)],
  ['dark, colour-blind', theme(DARK, ":root[data-diff-colors='color_blind']")],
  ['light, colour-blind', theme(LIGHT, ":root[data-theme='light'][data-diff-colors='color_blind']")],
];

describe.each(THEMES)('contrast: %s', (_name, colours) => {
  const TEXT_ON: [string, string[]][] = [
    [
      'text',
      [
        'bg',
        'surface',
        'raised',
        'sunken',
        'hover',
        'selected',
        'add-bg',
        'del-bg',
        'human-bg',
        'add-mark',
        'del-mark',
        'human-mark',
      ],
    ],
    ['muted', ['bg', 'surface', 'raised', 'hover', 'selected']],
    ['accent', ['bg', 'surface', 'raised']],
    ['ok', ['bg', 'surface', 'raised']],
    ['warn', ['bg', 'surface', 'raised', 'hover', 'selected']],
    ['danger', ['bg', 'surface', 'raised']],
    ['ai', ['bg', 'surface', 'raised', 'selected']],
    ['human', ['bg', 'surface', 'raised', 'selected']],
    ['on-accent', ['accent']],
    ['found-text', ['found-bg']],
    ...['keyword', 'string', 'number', 'comment', 'name', 'type', 'meta'].map((kind): [string, string[]] => [
      `code-${kind}`,
      ['bg', 'sunken', 'add-bg', 'human-bg', 'del-bg'],
    ]),
  ];

  it.each(TEXT_ON)('%s can be read', (text, grounds) => {
    for (const ground of grounds)
      expect(contrast(colours[text], colours[ground]), ground).toBeGreaterThanOrEqual(4.5);
  });

  it('borders of controls can be seen', () => {
    for (const ground of ['bg', 'surface', 'raised']) {
      expect(contrast(colours['border-strong'], colours[ground]), ground).toBeGreaterThanOrEqual(3);
    }
  });
});
