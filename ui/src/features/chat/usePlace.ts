import { useEffect, useRef, type RefObject } from 'react';
import type { VListHandle } from 'virtua';
import { useLink, useWorkbench } from '@/state';
import { recallPlace, rememberPlace } from './place';
import type { Follow } from './useFollow';

/** Coming back to a session finds the place where it was left. Tell the answer where the view is. */
export function usePlace(
  list: RefObject<VListHandle | null>,
  count: number,
  { following, stay }: Follow,
): (offset: number) => void {
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  const now = useRef({ offset: 0, count, following });
  const restored = useRef(false);
  useEffect(() => {
    now.current.count = count;
    now.current.following = following;
  });
  useEffect(() => {
    if (restored.current || count === 0) return;
    restored.current = true;
    const place = recallPlace(workbench, sessionId, count);
    if (place === null) return;
    stay();
    list.current?.scrollTo(place);
  }, [workbench, sessionId, count, list, stay]);
  useEffect(() => {
    const last = now.current;
    return () => {
      rememberPlace(workbench, sessionId, last.following ? null : { offset: last.offset, count: last.count });
    };
  }, [workbench, sessionId]);
  return (offset) => {
    now.current.offset = offset;
  };
}
