import { describe, expect, it } from 'vitest';
import { LineReader, MAX_LINE_CHARS, textOf } from './lines';
import { PLAIN } from './style';

const texts = (raw: string) => new LineReader().read(raw).map(textOf);

describe('lines of output', () => {
  it.each([
    ['plain\r\nlines\r\n', ['plain', 'lines']],
    ['10%\r50%\r100%\ndone', ['100%', 'done']],
    ['long line\rshort', ['shortline']],
    ['long line\r\u001b[Kshort', ['short']],
    ['ab\b\bcd', ['cd']],
    ['a\tb', ['a       b']],
    ['\u001b]0;a title\u0007x\u001b]8;;https://e.org\u001b\\link\u001b]8;;\u001b\\', ['xlink']],
    ['\u001b[6n\u001b[?25ly\u001b(B\u0007z', ['yz']],
    ['中文 é\u0301 🙂', ['中文 é\u0301 🙂']],
    ['\n\nx', ['', '', 'x']],
    ['', []],
  ])('%j', (raw, expected) => {
    expect(texts(raw)).toEqual(expected);
  });

  it('keeps colours over the end of a line, and over the end of a text', () => {
    const reader = new LineReader();
    const [first] = reader.read('\u001b[1;31mred\nstill');
    expect(first?.spans).toEqual([
      { text: 'red', style: { ...PLAIN, bold: true, fg: { kind: 'theme', index: 1 } } },
    ]);
    const [next] = reader.read('red\u001b[0m plain');
    expect(next?.spans.map((span) => [span.text, span.style.fg])).toEqual([
      ['red', { kind: 'theme', index: 1 }],
      [' plain', null],
    ]);
  });

  it.each([
    ['38;5;9', { kind: 'theme', index: 9 }],
    ['38;5;196', { kind: 'rgb', value: 0xff0000 }],
    ['38;5;244', { kind: 'rgb', value: 0x808080 }],
    ['38;2;1;2;3', { kind: 'rgb', value: 0x010203 }],
    ['38:2:1:2:3', { kind: 'rgb', value: 0x010203 }],
    ['94', { kind: 'theme', index: 12 }],
    ['31;39', null],
    ['31;0', null],
    ['31;', null],
    ['38:2::1:2:3', { kind: 'rgb', value: 0x010203 }],
    ['38:5:9', { kind: 'theme', index: 9 }],
    ['31;58;5;3', { kind: 'theme', index: 1 }],
  ])('colour %s', (codes, fg) => {
    const [line] = new LineReader().read(`\u001b[${codes}mx`);
    expect(line?.spans[0]?.style.fg).toEqual(fg);
  });

  it.each([
    ['4:3', { underline: true }],
    ['4;4:0', {}],
    ['58;5;1', {}],
    ['58:2::1:2:3', {}],
    ['>4;2', {}],
    ['?4;2', {}],
    ['21', { underline: true }],
  ])('%s changes no more than it should', (codes, changed) => {
    const [line] = new LineReader().read(`\u001b[${codes}mx`);
    expect(line?.spans[0]?.style).toEqual({ ...PLAIN, ...changed });
  });

  it('cuts a line that is too long and says so', () => {
    const [line] = new LineReader().read('x'.repeat(MAX_LINE_CHARS + 7));
    expect(line && textOf(line).length).toBe(MAX_LINE_CHARS);
    expect(line?.cut).toBe(7);
  });
});
