import { useT } from '@/i18n';
import { useWorkbench } from '@/state';
import { tid } from '@/testids';
import { TodoIcon } from './TodoIcon';
import { useTodos } from './useTodos';
import './todos.css';

/** One line about the task list, for when its panel is closed. */
export function TodoStrip() {
  const t = useT();
  const { ui } = useWorkbench();
  const { todos, stateOf, done, current } = useTodos();
  if (todos.length === 0) return null;
  const shown = current ?? todos.at(-1);
  if (!shown) return null;
  return (
    <button
      type="button"
      className="todo-strip"
      data-testid={tid('todo-strip')}
      data-count={done}
      title={t('todos.open')}
      onClick={() => {
        ui.setState({ panelOpen: true, panelTab: 'todos' });
      }}
    >
      <TodoIcon state={stateOf(shown)} />
      <span className="numbers muted">{t('todos.progress', done, todos.length)}</span>
      <span className="truncate">{shown.content}</span>
    </button>
  );
}
