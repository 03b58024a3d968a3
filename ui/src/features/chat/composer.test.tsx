import { act, fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userItem } from '@/dev/builders';
import { watchComposition } from '@/keys';
import { readCase } from '../../../test/cases';
import { openWindow, settle, type TestWindow } from '../../../test/render';

type ConfirmEnter = (element: Element, kind: string) => void;

/** The key sequences of real input methods, as the case has them. */
function confirmEnter(): ConfirmEnter {
  const source = readCase('reports/UI-04/input/keys.js').replace('export function', 'return function');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  return new Function(source)() as ConfirmEnter;
}

let stop: () => void;
beforeEach(() => {
  stop = watchComposition(document);
});
afterEach(() => {
  stop();
});

function field(window: TestWindow): HTMLTextAreaElement {
  return window.get('composer-input') as HTMLTextAreaElement;
}

function write(window: TestWindow, text: string): void {
  fireEvent.change(field(window), { target: { value: text } });
}

function enter(window: TestWindow, change: object = {}): void {
  fireEvent.keyDown(field(window), { key: 'Enter', code: 'Enter', keyCode: 13, ...change });
}

describe('Enter that belongs to the input method', () => {
  it.each(['standard', 'webkit', 'process'])('sends nothing (%s), the next one sends once', async (kind) => {
    const window = await openWindow();
    write(window, '猫 ');
    act(() => {
      confirmEnter()(field(window), kind);
    });
    expect(window.backend.requests('send')).toEqual([]);
    expect(field(window).value).toBe('猫 ');
    enter(window);
    await settle();
    expect(window.backend.requests('send').map((sent) => sent.text)).toEqual(['猫 ']);
  });

  it('lets Escape end the composition and nothing else', async () => {
    const window = await openWindow({ snapshot: { phase: 'streaming' } });
    write(window, 'ねこ');
    const escape = { key: 'Escape', isComposing: true };
    for (let times = 0; times < 2; times += 1) fireEvent.keyDown(field(window), escape);
    await settle();
    expect(window.backend.requests('cancel')).toEqual([]);
    expect(field(window).value).toBe('ねこ');
  });
});

describe('sending', () => {
  it('clears the field at once and brings a refused message back', async () => {
    const window = await openWindow();
    window.backend.refuseOnce('send', { code: 'QUEUE_FULL', message: 'full', args: [] });
    write(window, 'hello');
    enter(window);
    expect(field(window).value).toBe('');
    await settle();
    expect(field(window).value).toBe('hello');
    expect(window.get('composer-note').dataset.state).toBe('error');
  });

  it('sends nothing for blanks, and one message while the key repeats', async () => {
    const window = await openWindow();
    write(window, '  ');
    enter(window);
    write(window, 'once');
    enter(window, { repeat: true });
    enter(window);
    enter(window);
    await settle();
    expect(window.backend.requests('send')).toHaveLength(1);
  });

  it('steers by Enter and queues by Ctrl+Enter while a turn runs', async () => {
    const window = await openWindow({ snapshot: { phase: 'calls' } });
    expect(window.get('composer').dataset.state).toBe('running');
    write(window, 'now');
    enter(window);
    write(window, 'later');
    enter(window, { ctrlKey: true });
    await settle();
    expect(window.backend.requests('send').map(({ text, delivery }) => [text, delivery])).toEqual([
      ['now', 'steer'],
      ['later', 'after'],
    ]);
  });

  it('makes a new line by Enter if the person wants that', async () => {
    const window = await openWindow({ settings: { enter_sends: false } });
    write(window, 'text');
    enter(window);
    expect(window.backend.requests('send')).toEqual([]);
    enter(window, { ctrlKey: true });
    await settle();
    expect(window.backend.requests('send')).toHaveLength(1);
  });

  it('stops by its own button and by Esc twice, never by Enter', async () => {
    const window = await openWindow({ snapshot: { phase: 'streaming' } });
    enter(window);
    fireEvent.keyDown(field(window), { key: 'Escape' });
    await settle();
    expect(window.backend.requests('cancel')).toEqual([]);
    expect(window.get('composer-note').dataset.state).toBe('armed');
    fireEvent.keyDown(field(window), { key: 'Escape' });
    await settle();
    expect(window.backend.requests('cancel')).toHaveLength(1);
    fireEvent.click(window.get('composer-stop'));
    await settle();
    expect(window.backend.requests('cancel')).toHaveLength(2);
  });

  it('recalls earlier messages in an empty field', async () => {
    const window = await openWindow({ snapshot: { items: [userItem(1, 'one'), userItem(2, 'two')] } });
    fireEvent.keyDown(field(window), { key: 'ArrowUp' });
    expect(field(window).value).toBe('two');
    fireEvent.keyDown(field(window), { key: 'ArrowUp' });
    expect(field(window).value).toBe('one');
    fireEvent.keyDown(field(window), { key: 'ArrowDown' });
    expect(field(window).value).toBe('two');
    write(window, 'two, changed');
    fireEvent.keyDown(field(window), { key: 'ArrowUp' });
    expect(field(window).value).toBe('two, changed');
  });

  it('keeps what is written when the person turns to another window', async () => {
    const opened = await openWindow();
    write(opened, 'half a thought');
    expect(opened.backend.requests('save_draft')).toEqual([]);
    fireEvent.blur(window);
    expect(opened.backend.requests('save_draft').at(-1)).toMatchObject({
      key: 'composer',
      value: 'half a thought',
    });
  });

  it('says why it is closed', async () => {
    const window = await openWindow({ snapshot: { read_only: 'The folder is gone.' } });
    expect(window.get('composer').dataset.state).toBe('disabled');
    expect(field(window).placeholder).toBe('The folder is gone.');
    expect(field(window)).toBeDisabled();
  });
});

describe('waiting messages', () => {
  const queue = [
    { id: 1, text: 'first', images: [], delivery: 'after' as const },
    { id: 2, text: 'second', images: [], delivery: 'after' as const },
  ];

  it('leave the queue while they are edited, so that they are not sent half-way', async () => {
    const window = await openWindow({ snapshot: { phase: 'calls', queue } });
    fireEvent.click(window.get('queue-edit', {}, window.get('queue-item', { key: '2' })));
    await settle();
    expect(window.backend.requests('queue_remove').map(({ id }) => id)).toEqual([2]);
    const editor = window.get('queue-edit-input');
    fireEvent.change(editor, { target: { value: 'second, better' } });
    expect(window.backend.requests('send')).toEqual([]);
    fireEvent.keyDown(editor, { key: 'Enter' });
    await settle();
    expect(window.backend.requests('send').map(({ text, delivery }) => [text, delivery])).toEqual([
      ['second, better', 'after'],
    ]);
    expect(window.none('queue-edit-input')).toBe(true);
  });

  it('disappear only when the backend has taken them out', async () => {
    const window = await openWindow({ snapshot: { phase: 'calls', queue } });
    window.backend.refuseOnce('queue_remove', { code: 'NOT_FOUND', message: 'delivered', args: [] });
    fireEvent.click(window.get('queue-remove', {}, window.get('queue-item', { key: '1' })));
    await settle();
    expect(window.all('queue-item')).toHaveLength(2);
    fireEvent.click(window.get('queue-remove', {}, window.get('queue-item', { key: '1' })));
    await settle();
    expect(window.all('queue-item')).toHaveLength(1);
  });
});
