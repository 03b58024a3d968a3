import { useEffect, useState } from 'react';
import { useCurrent } from '@/state';

/** Several results in a row are one reason to look again. */
const SETTLE_MS = 300;

/** Changes whenever a call of the session on screen may have changed files: it ended, or was taken back. */
export function useFilesTouched(): string {
  const now = useCurrent((session) => {
    let [ended, undone, newest] = [0, 0, 0];
    for (const seq of session.order) {
      const body = session.items[seq]?.body;
      if (body?.kind !== 'tool' || body.state !== 'done') continue;
      if (body.tool_kind === 'read' || body.tool_kind === 'search') continue;
      ended += 1;
      newest = seq;
      if (body.edit?.state === 'undone') undone += 1;
    }
    return `${ended}:${undone}:${newest}`;
  }, '');
  const [settled, setSettled] = useState(now);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setSettled(now);
    }, SETTLE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [now]);
  return settled;
}
