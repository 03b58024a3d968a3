import { useEffect, useState } from 'react';
import type { ShellInfo } from '@/bindings';
import { useRun, useWorkbench } from './context';

/** A program that was asked to stop gets this long before the button offers more. */
const AGAIN_AFTER_MS = 1_000;

/** Asks a command to stop, and ends it some time later; pressed again, or killed, it ends at once. */
export function useStopShell(shell: ShellInfo): { again: boolean; stop: () => void; kill: () => void } {
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
  const signal = (name: 'stop' | 'kill') => {
    void run(backend.call('signal_terminal', { shell_id: shell.shell_id, signal: name }));
  };
  return {
    again: again && shell.state === 'running',
    stop: () => {
      // So soon another press would only be impatience.
      if (pressed && !again) return;
      setPressed(true);
      signal(again ? 'kill' : 'stop');
    },
    kill: () => {
      signal('kill');
    },
  };
}
