import { act, fireEvent, render } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { readCase } from '../../../test/cases';
import { BlockSplitter } from './blocks';
import { Markdown } from './Markdown';

const EVIL = readCase('reports/UI-05/input/answer.md');

function show(text: string, complete = true) {
  const onOpenLink = vi.fn();
  const rendered = render(<Markdown text={text} complete={complete} onOpenLink={onOpenLink} />);
  return { ...rendered, onOpenLink };
}

describe('text of others', () => {
  it('runs nothing, loads nothing and keeps no element of its own', () => {
    const { container } = show(EVIL);
    expect(
      container.querySelector('script, iframe, form, style, img, svg, button, object, embed'),
    ).toBeNull();
    for (const element of container.querySelectorAll('.md-part *')) {
      for (const name of element.getAttributeNames()) expect(name).not.toMatch(/^on|^style$|^id$|^src/);
    }
    expect(window).not.toHaveProperty('__pwned');
    expect(container.textContent).toContain('<script>');
  });

  it('hands out web addresses after a click, and no others', () => {
    // By themselves: after the block of HTML in the case everything up to a blank line is text.
    const links = EVIL.split('\n').filter((line) => line.startsWith('[') || line.startsWith('!['));
    const { container, onOpenLink } = show(links.join('\n'));
    const addresses = [...container.querySelectorAll('a')].map((link) => link.getAttribute('href'));
    expect(addresses).toEqual(['https://example.test/page', 'https://example.test/pixel.png']);
    const link = container.querySelector('a');
    const event = new MouseEvent('click', { bubbles: true, cancelable: true });
    act(() => {
      link?.dispatchEvent(event);
    });
    expect(event.defaultPrevented).toBe(true);
    expect(onOpenLink).toHaveBeenCalledWith('https://example.test/page');
  });

  it('is the same however it arrives', () => {
    const whole = show(EVIL).container.innerHTML;
    const { container, rerender } = show('', false);
    for (let length = 5; length < EVIL.length + 5; length += 5) {
      rerender(<Markdown text={EVIL.slice(0, length)} complete={false} onOpenLink={() => undefined} />);
      expect(container.querySelector('script, iframe, form, style, img, svg, button')).toBeNull();
    }
    rerender(<Markdown text={EVIL} complete onOpenLink={() => undefined} />);
    expect(container.innerHTML).toBe(whole);
  });

  it('shows a remote picture as a link to it', () => {
    const { container } = show('![a cat](https://cats.test/1.png)');
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).toContain('picture: cats.test');
  });

  it('marks a link whose text names another place', () => {
    const { container } = show('[https://bank.test](https://evil.test) and [here](https://evil.test)');
    const [first, second] = container.querySelectorAll('a');
    expect(first?.querySelector('[role=img]')).not.toBeNull();
    expect(second?.querySelector('[role=img]')).toBeNull();
    expect(first).toHaveAttribute('title', 'https://evil.test');
  });

  it('draws task boxes as text', () => {
    const { container } = show('- [x] done\n- [ ] open');
    expect(container.querySelector('input')).toBeNull();
    expect(container.textContent).toContain('☑');
  });
});

describe('code', () => {
  it('has a frame with its language and can be copied exactly', () => {
    const { container } = show('```rust\nlet a = 1;\n\n  b\n```');
    expect(container.querySelector('.code-language')?.textContent).toBe('rust');
    fireEvent.click(container.querySelector('[data-testid=msg-code-copy]') ?? document.body);
    expect(navigator.clipboard.writeText).toHaveBeenCalledWith('let a = 1;\n\n  b');
  });

  it('has the same frame inside a list', () => {
    const { container } = show('1. first\n\n   ```sh\n   ls -l\n   ```\n2. second');
    expect(container.querySelectorAll('[data-testid=msg-code]')).toHaveLength(1);
    expect(container.querySelector('pre')?.textContent).toBe('ls -l');
  });
});

describe('a text that grows', () => {
  it('parses what is finished once', () => {
    const splitter = new BlockSplitter();
    const first = splitter.update('one\n\ntwo\n\nthr', false);
    const second = splitter.update('one\n\ntwo\n\nthree', false);
    expect(second[0]).toBe(first[0]);
    expect(second.map((block) => [block.text.trim(), block.open])).toEqual([
      ['one', false],
      ['two', false],
      ['three', true],
    ]);
  });

  it('keeps a fence open until its end has come', () => {
    const splitter = new BlockSplitter();
    const open = splitter.update('text\n\n```js\nconst a = `\n\n', false);
    expect(open.at(-1)).toMatchObject({ kind: 'code', language: 'js', open: true });
    const closed = splitter.update('text\n\n```js\nconst a = `\n\n```\n\nmore', false);
    expect(closed.map((block) => block.kind)).toEqual(['markdown', 'code', 'markdown']);
  });

  it('shows a very long block as it is until it ends', () => {
    const splitter = new BlockSplitter();
    const long = `- ${'word '.repeat(5_000)}`;
    expect(splitter.update(long, false).at(-1)?.kind).toBe('plain');
    expect(splitter.update(long, true).at(-1)?.kind).toBe('markdown');
  });

  it('starts over when the text is another', () => {
    const splitter = new BlockSplitter();
    splitter.update('one\n\ntwo\n\nthree', false);
    expect(splitter.update('other', true).map((block) => block.text)).toEqual(['other']);
  });
});
