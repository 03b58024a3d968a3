/** Around the words that were found, the backend puts these two characters. */
const MARK_START = '\u0002';
const MARK_END = '\u0003';

export interface SnippetPart {
  text: string;
  found: boolean;
}

/** Splits a snippet at its marks. */
export function snippetParts(snippet: string): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let found = false;
  for (const piece of snippet.split(/([\u0002\u0003])/)) {
    if (piece === MARK_START) found = true;
    else if (piece === MARK_END) found = false;
    else if (piece !== '') parts.push({ text: piece, found });
  }
  return parts;
}

/** Searching begins with so many characters; one is enough where each is a word. */
export function isSearchable(query: string): boolean {
  const text = query.trim();
  return text.length >= 2 || /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(text);
}
