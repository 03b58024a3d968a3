import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { VListHandle } from 'virtua';
import type { Row } from '@/state';

/** So close to the end the view counts as being there. */
const AT_END_PX = 40;

/** Keys that scroll back while the transcript has the focus. */
const KEYS_UP = new Set(['ArrowUp', 'PageUp', 'Home']);

/** Newer rows are missing after the last one; `showNewest` brings them. */
export interface Detached {
  now: boolean;
  showNewest: () => Promise<void>;
}

export interface Follow {
  following: boolean;
  /** Rows that came while the view stood still. */
  fresh: number;
  toEnd: () => void;
  /** Keeps the view as it is, such as after a jump to a row. */
  stay: () => void;
  onScroll: (offset: number) => void;
  onResize: () => void;
  onWheel: (event: { deltaY: number; ctrlKey: boolean }) => void;
  onPointerDown: () => void;
  onKeyDown: (event: { key: string }) => void;
}

/**
 * Keeps the end of the transcript in view, but only while the person wants that.
 *
 * Following ends at once when the person scrolls back, by whatever means, and returns when they reach the end or ask
 * for it. Growing text never moves the view of someone who reads further up.
 */
export function useFollow(
  list: RefObject<VListHandle | null>,
  rows: readonly Row[],
  detached: Detached,
): Follow {
  const [following, setFollowing] = useState(true);
  const wanted = useRef(true);
  const lastOffset = useRef(0);
  const isHeld = usePointerHeld();
  const seen = useRef<string | undefined>(undefined);
  const [fresh, setFresh] = useState(0);

  const set = useCallback(
    (next: boolean) => {
      if (wanted.current === next) return;
      wanted.current = next;
      seen.current = rows.at(-1)?.key;
      setFollowing(next);
    },
    [rows],
  );
  const goToEnd = useCallback(() => {
    const handle = list.current;
    if (handle) handle.scrollTo(handle.scrollSize);
  }, [list]);

  useLayoutEffect(() => {
    if (wanted.current) goToEnd();
    const at = rows.findLastIndex((row) => row.key === seen.current);
    setFresh(wanted.current || at < 0 ? 0 : rows.length - 1 - at);
  }, [rows, goToEnd, following]);

  /** Scrolling back ends the following at once, before anything has moved. */
  const back = () => {
    const handle = list.current;
    if (handle && handle.scrollOffset > 0 && handle.scrollSize > handle.viewportSize) set(false);
  };

  return {
    following,
    fresh,
    toEnd: () => {
      const go = () => {
        set(true);
        goToEnd();
      };
      if (detached.now) void detached.showNewest().then(go, () => undefined);
      else go();
    },
    stay: () => {
      set(false);
    },
    onScroll: (offset) => {
      const handle = list.current;
      if (!handle) return;
      const rest = handle.scrollSize - offset - handle.viewportSize;
      // A smaller offset is the person's only while they hold the scroll bar: rows that shrink make it smaller too.
      if (rest <= AT_END_PX && !detached.now) set(true);
      else if (offset < lastOffset.current && isHeld.current) set(false);
      lastOffset.current = offset;
    },
    onResize: () => {
      if (wanted.current) goToEnd();
    },
    onWheel: (event) => {
      if (event.deltaY < 0 && !event.ctrlKey) back();
    },
    onPointerDown: () => {
      isHeld.current = true;
    },
    onKeyDown: (event) => {
      if (KEYS_UP.has(event.key)) back();
    },
  };
}

/** Whether a pointer that went down in the box is still down, as while a scroll bar is dragged. */
function usePointerHeld(): RefObject<boolean> {
  const held = useRef(false);
  useEffect(() => {
    const up = () => {
      held.current = false;
    };
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', up);
    return () => {
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', up);
    };
  }, []);
  return held;
}
