import { useEffect, useState } from 'react';
import type { ShellInfo } from '@/bindings';
import { useRun, useWorkbench } from './context';

/** A program gets this long to end after an interrupt before the button offers more. */
const AGAIN_AFTER_MS = 2_000;

/** Interrupts a shell like Ctrl+C, then for good; or kills it at once. */
export function useStopShell(shell: ShellInfo): { again: boolean; interrupt: () => void; kill: () => void } {
  const run = useRun();
  const { backend } = useWorkbench();
  const [pressed, setPressed] = useState(false);
  const [again, setAgain] = useState(false);
  useEffect(() => {
    if (!pressed) return undefined;
    const timer = window.setTimeout(() => {
      setAgain(true);
    }, AGAIN_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [pressed]);
  const signal = (name: 'interrupt' | 'kill') => {
    void run(backend.call('signal_terminal', { shell_id: shell.shell_id, signal: name }));
  };
  return {
    again: again && shell.state === 'running',
    interrupt: () => {
      // Within the first seconds another press would only be impatience.
      if (pressed && !again) return;
      setPressed(true);
      signal('interrupt');
    },
    kill: () => {
      signal('kill');
    },
  };
}
