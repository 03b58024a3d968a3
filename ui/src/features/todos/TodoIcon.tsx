import { Check, Circle, CircleDot, CircleStop } from 'lucide-react';
import type { TodoShown } from './useTodos';

/** The picture of a state; the word stands beside it for readers. */
export function TodoIcon({ state }: { state: TodoShown }) {
  const props = { className: 'icon-small todo-icon', 'data-state': state, 'aria-hidden': true } as const;
  switch (state) {
    case 'completed':
      return <Check {...props} />;
    case 'in_progress':
      return <CircleDot {...props} />;
    case 'pending':
      return <Circle {...props} />;
    case 'stopped':
      return <CircleStop {...props} />;
  }
}
