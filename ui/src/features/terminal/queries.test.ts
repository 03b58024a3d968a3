import { Terminal } from '@xterm/xterm';
import { expect, it } from 'vitest';
import { binaryToBase64, fromBase64, textToBase64, toBase64 } from './base64';
import { swallowQueries } from './queries';

function answersTo(questions: string, swallow: boolean): Promise<string> {
  const terminal = new Terminal({ allowProposedApi: true });
  if (swallow) swallowQueries(terminal);
  let answers = '';
  terminal.onData((data) => (answers += data));
  return new Promise((resolve) => {
    terminal.write(`${questions}done`, () => {
      resolve(answers);
    });
  });
}

const QUESTIONS = [
  '\u001b[5n',
  '\u001b[6n',
  '\u001b[?6n',
  '\u001b[c',
  '\u001b[>c',
  '\u001b[?25$p',
  '\u001b[4$p',
  '\u001bP$qm\u001b\\',
  '\u001b]10;?\u0007',
  '\u001b]11;?\u001b\\',
  '\u001b]4;1;?\u0007',
];

it('answers no question of a program; the backend does', async () => {
  expect(await answersTo(QUESTIONS.join(''), false), 'these are questions').not.toBe('');
  expect(await answersTo(QUESTIONS.join(''), true)).toBe('');
});

it('still draws what follows, and still takes colours', async () => {
  const terminal = new Terminal({ allowProposedApi: true });
  swallowQueries(terminal);
  await new Promise<void>((resolve) => {
    terminal.write('\u001b[6n\u001b]11;#112233\u0007a\u001b[cb', resolve);
  });
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('ab');
});

it('carries bytes both ways', () => {
  const bytes = new Uint8Array([0, 27, 128, 255]);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  expect(new TextDecoder().decode(fromBase64(textToBase64('中 é\r')))).toBe('中 é\r');
  expect(fromBase64(binaryToBase64('\u001b[M\u00ff'))).toEqual(new Uint8Array([27, 91, 77, 255]));
});
