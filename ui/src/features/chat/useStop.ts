import { useEffect, useState } from 'react';
import { useLink, useRun, useSession, useWorkbench } from '@/state';

/** A second Esc within this time stops the turn. */
const ESCAPE_TWICE_MS = 1_500;

/** Ends the turn: by its button, or by Esc pressed twice. */
export interface StopModel {
  /** The first Esc was pressed. */
  armed: boolean;
  stop: () => void;
  /** `false`: nothing runs, the key is free for others. */
  pressEscape: () => boolean;
}

export function useStop(): StopModel {
  const run = useRun();
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  const running = useSession((session) => session.phase.phase !== 'idle', false);
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    if (!armed) return undefined;
    const timer = window.setTimeout(() => {
      setArmed(false);
    }, ESCAPE_TWICE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [armed]);
  const stop = () => {
    setArmed(false);
    void run(workbench.command('cancel', sessionId));
  };
  return {
    armed: armed && running,
    stop,
    pressEscape: () => {
      if (!running) return false;
      if (armed) stop();
      else setArmed(true);
      return true;
    },
  };
}
