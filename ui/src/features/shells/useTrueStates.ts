import { useEffect } from 'react';
import { useLink, useWorkbench } from '@/state';

/** While the list is open, the processes are looked at this often. */
const CHECK_INTERVAL_MS = 5_000;

/** Keeps the list true: a row never says that something runs for long after its process has gone. */
export function useTrueStates(): void {
  const { backend } = useWorkbench();
  const { sessionId } = useLink();
  useEffect(() => {
    const check = () => {
      // What is found out comes as events; the next look may succeed.
      backend.call('check_shells', { session_id: sessionId }).catch(() => undefined);
    };
    check();
    const timer = window.setInterval(check, CHECK_INTERVAL_MS);
    window.addEventListener('focus', check);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener('focus', check);
    };
  }, [backend, sessionId]);
}
