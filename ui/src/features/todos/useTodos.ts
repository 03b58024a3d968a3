import type { Todo, TodoStatus } from '@/bindings';
import { useSession } from '@/state';

/** A step as it is shown: one that was being worked on when the turn ended has stopped. */
export type TodoShown = TodoStatus | 'stopped';

const NONE: readonly Todo[] = [];

export interface TodosShown {
  todos: readonly Todo[];
  stateOf: (todo: Todo) => TodoShown;
  done: number;
  /** The step at work, or the next one. */
  current: Todo | undefined;
  updatedAt: number | null;
}

/** The task list of the session. */
export function useTodos(): TodosShown {
  const todos = useSession((session) => session.todos, NONE);
  const idle = useSession((session) => session.phase.phase === 'idle', true);
  const updatedAt = useSession((session) => session.todosUpdatedAt, null);
  return {
    todos,
    stateOf: (todo) => (todo.status === 'in_progress' && idle ? 'stopped' : todo.status),
    done: todos.filter((todo) => todo.status === 'completed').length,
    current:
      todos.find((todo) => todo.status === 'in_progress') ?? todos.find((todo) => todo.status === 'pending'),
    updatedAt,
  };
}
