import { applySgr, PLAIN, type Style } from './style';

/** A piece of a line that looks the same all over. */
export interface Span {
  text: string;
  style: Style;
}

/** A line of output as it is to be read. */
export interface LogLine {
  spans: Span[];
  /** Characters that are not shown because the line is too long. */
  cut: number;
}

/** A longer line would keep the page busy for its own sake. */
export const MAX_LINE_CHARS = 5_000;

const TEXT = /[^\u0000-\u001f\u007f-\u009f]+/y;
const CSI = /\u001b\[([0-?]*)[ -/]*([@-~])/y;
/** OSC, DCS, APC, PM, SOS: up to their end, or to the end of the line. */
const STRING = /\u001b[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\|$)/y;
const ESCAPE = /\u001b[ -/]*[0-~]?/y;

/**
 * Turns output into lines as a terminal would leave them: a carriage return begins the line anew, so that of a progress
 * line only the last state is left; colours are kept and everything else that moves or asks is dropped.
 */
export class LineReader {
  private style: Style = PLAIN;

  /** The lines of a text, the last one also without its end. Colours go on from the text before. */
  read(text: string): LogLine[] {
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.map((line) => this.line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  private line(raw: string): LogLine {
    const cells = new Cells();
    let at = 0;
    const take = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at;
      const found = pattern.exec(raw);
      if (found) at = pattern.lastIndex;
      return found;
    };
    while (at < raw.length) {
      const text = take(TEXT);
      if (text) {
        cells.write(text[0], this.style);
        continue;
      }
      const control = raw[at];
      if (control === '\u001b') {
        const csi = take(CSI);
        if (csi) this.csi(cells, csi[1] ?? '', csi[2] ?? '');
        else if (!take(STRING)) take(ESCAPE);
        continue;
      }
      if (control === '\r') cells.column = 0;
      else if (control === '\b') cells.column = Math.max(0, cells.column - 1);
      else if (control === '\t') cells.tab(this.style);
      at += 1;
    }
    return cells.line();
  }

  private csi(cells: Cells, parameters: string, final: string): void {
    if (final === 'm') this.style = applySgr(this.style, parameters);
    else if (final === 'K') cells.erase(Number(parameters || 0));
  }
}

const TAB_COLUMNS = 8;

/** The characters of one line while it is written. */
class Cells {
  column = 0;
  private readonly texts: string[] = [];
  private readonly styles: Style[] = [];

  write(text: string, style: Style): void {
    for (const character of text) {
      this.texts[this.column] = character;
      this.styles[this.column] = style;
      this.column += 1;
    }
  }

  tab(style: Style): void {
    this.write(' '.repeat(TAB_COLUMNS - (this.column % TAB_COLUMNS)), style);
  }

  /** 0: to the end, 1: to the begin, 2: all. */
  erase(what: number): void {
    if (what === 0) this.texts.length = this.styles.length = Math.min(this.texts.length, this.column);
    else if (what === 2) this.texts.length = this.styles.length = 0;
    else
      for (let at = 0; at < Math.min(this.column, this.texts.length); at += 1) {
        this.texts[at] = ' ';
        this.styles[at] = PLAIN;
      }
  }

  line(): LogLine {
    const shown = Math.min(this.texts.length, MAX_LINE_CHARS);
    const spans: Span[] = [];
    for (let at = 0; at < shown; at += 1) {
      const [text, style] = [this.texts[at] ?? ' ', this.styles[at] ?? PLAIN];
      const last = spans.at(-1);
      if (last && (last.style === style || same(last.style, style))) last.text += text;
      else spans.push({ text, style });
    }
    return { spans, cut: this.texts.length - shown };
  }
}

function same(a: Style, b: Style): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A line without its colours. */
export function textOf(line: LogLine): string {
  return line.spans.map((span) => span.text).join('');
}
