import { useEffect, useState } from 'react';
import type { ShellInfo } from '@/bindings';
import { useWorkbench } from '@/state';

/** Commands end by themselves, too; a dialog that lists them looks again this often. */
const LOOK_AGAIN_MS = 1_000;

/** The commands of all sessions that run now; `null` until they are known. */
export function useRunningShells(): readonly ShellInfo[] | null {
  const { backend } = useWorkbench();
  const [shells, setShells] = useState<readonly ShellInfo[] | null>(null);
  useEffect(() => {
    let open = true;
    const look = () => {
      backend
        .call('running_shells', {})
        .then((out) => {
          if (open) setShells(out.shells);
        })
        // What was known stays; the next look may succeed.
        .catch(() => undefined);
    };
    look();
    const timer = window.setInterval(look, LOOK_AGAIN_MS);
    return () => {
      open = false;
      window.clearInterval(timer);
    };
  }, [backend]);
  return shells;
}
