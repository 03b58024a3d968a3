import { CircleCheck, CircleDot, CircleHelp, CircleSlash, CircleX, Clock } from 'lucide-react';
import type { ShellState } from '@/bindings';

/** The picture of a state; the word stands beside it. */
export function ShellIcon({ state }: { state: ShellState }) {
  const props = { className: 'icon-small shell-icon', 'data-state': state, 'aria-hidden': true } as const;
  switch (state) {
    case 'running':
      return <CircleDot {...props} />;
    case 'completed':
      return <CircleCheck {...props} />;
    case 'failed':
      return <CircleX {...props} />;
    case 'timed_out':
      return <Clock {...props} />;
    case 'cancelled':
      return <CircleSlash {...props} />;
    case 'lost':
      return <CircleHelp {...props} />;
  }
}
