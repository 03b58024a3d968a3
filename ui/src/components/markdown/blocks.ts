import { lexer, type Token } from 'marked';

/** A last block longer than this is shown as plain text until it ends: parsing it each frame would take too long. */
const MAX_REPARSED_CHARS = 16 * 1024;

/** One top-level part of a text: a paragraph, a list, a table, a fence. */
export interface MarkdownBlock {
  kind: 'markdown' | 'code' | 'plain';
  /** The source of the block; for code the code itself. */
  text: string;
  /** Language of a fence. */
  language: string;
  /** More may still be added to it. */
  open: boolean;
}

/**
 * Splits a growing text into blocks. What is finished is never looked at again; only the last block is parsed anew.
 */
export class BlockSplitter {
  private source = '';
  private finished: MarkdownBlock[] = [];
  private finishedChars = 0;

  /** The blocks of `text`. A text that does not continue the one before starts over. */
  update(text: string, complete: boolean): readonly MarkdownBlock[] {
    const source = text.replace(/\r\n|\r/g, '\n');
    if (!source.startsWith(this.source.slice(0, this.finishedChars))) {
      this.finished = [];
      this.finishedChars = 0;
    }
    this.source = source;
    const tail = source.slice(this.finishedChars);
    if (!complete && tail.length > MAX_REPARSED_CHARS) return [...this.finished, plainBlock(tail)];
    const blocks = this.parse(tail, complete);
    return [...this.finished, ...blocks];
  }

  private parse(tail: string, complete: boolean): MarkdownBlock[] {
    const tokens = lexer(tail);
    if (complete) return tokens.filter(isVisible).map((token) => toBlock(token, false));
    // Blank lines after a block do not finish it: a list may go on after them.
    const last = tokens.findLastIndex(isVisible);
    for (const token of tokens.slice(0, Math.max(0, last))) {
      if (isVisible(token)) this.finished.push(toBlock(token, false));
      this.finishedChars += token.raw.length;
    }
    const open = tokens[last];
    return open ? [toBlock(open, true)] : [];
  }
}

function isVisible(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

function toBlock(token: Token, open: boolean): MarkdownBlock {
  if (token.type !== 'code') return { kind: 'markdown', text: token.raw, language: '', open };
  const { text, lang } = token as { text: string; lang?: string };
  return { kind: 'code', text, language: (lang ?? '').trim().split(/\s/)[0] ?? '', open };
}

function plainBlock(text: string): MarkdownBlock {
  return { kind: 'plain', text, language: '', open: true };
}
