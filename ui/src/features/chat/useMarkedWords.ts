import { useEffect, type RefObject } from 'react';
import { useStore } from 'zustand';
import { onNextFrame } from '@/lib/frame';
import { useWorkbench } from '@/state';

/** Name of the highlight; the style sheet says how it looks. */
const HIGHLIGHT = 'found';

/** Marks the words that were searched for in every row that is on the page. */
export function useMarkedWords(box: RefObject<HTMLElement | null>): void {
  const query = useStore(useWorkbench().current, (current) => current.at.query);
  useEffect(() => {
    const root = box.current;
    if (!root || query === null || query.trim() === '' || !('highlights' in CSS)) return undefined;
    let asked = false;
    const mark = () => {
      if (asked) return;
      asked = true;
      onNextFrame(() => {
        asked = false;
        CSS.highlights.set(HIGHLIGHT, new Highlight(...rangesOf(root, query)));
      });
    };
    // Rows come and go while the list is scrolled, and their texts grow.
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      CSS.highlights.delete(HIGHLIGHT);
    };
  }, [box, query]);
}

/** Where the words stand in the texts of messages. */
export function rangesOf(root: Node, query: string): Range[] {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(words.join('|'), 'giu');
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const match of (node.textContent ?? '').matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
