import { useEffect, useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import { Empty } from '@/components';
import { formatAgo, useLocale, useT } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { tid } from '@/testids';
import { TodoIcon } from './TodoIcon';
import { useTodos } from './useTodos';
import './todos.css';

/** From this many on the list is virtual. */
const VIRTUAL_FROM = 60;

/** How often “updated … ago” is told anew. */
const AGO_INTERVAL_MS = 10_000;

/** The agent's task list, read only. */
export function TodoPanel() {
  const t = useT();
  const { todos, stateOf, done, current } = useTodos();
  const list = useRef<VListHandle>(null);
  const first = todos.findIndex((todo) => todo.id === current?.id);
  useEffect(() => {
    if (first >= 0) list.current?.scrollToIndex(first, { align: 'nearest' });
  }, [first]);
  if (todos.length === 0) {
    return (
      <div data-testid={tid('todo-panel')}>
        <Empty title={t('todos.empty')} />
      </div>
    );
  }
  const rows = todos.map((todo) => {
    const state = stateOf(todo);
    return (
      <li key={todo.id} className="todo" data-testid={tid('todo-item')} data-key={todo.id} data-state={state}>
        <TodoIcon state={state} />
        <span className="todo-text selectable">
          {todo.content}
          <span className="visually-hidden"> {t(`todos.state.${state}`)}</span>
        </span>
      </li>
    );
  });
  return (
    <div className="todo-panel" data-testid={tid('todo-panel')}>
      {rows.length < VIRTUAL_FROM ? (
        <ul>{rows}</ul>
      ) : (
        <VList ref={list} className="todo-virtual">
          {rows}
        </VList>
      )}
      <p className="todo-progress numbers" data-testid={tid('todo-progress')} data-count={done}>
        {t('todos.progress', done, todos.length)} <Updated />
      </p>
    </div>
  );
}

function Updated() {
  const t = useT();
  const locale = useLocale();
  const { updatedAt } = useTodos();
  const now = useNow(updatedAt === null ? null : AGO_INTERVAL_MS);
  if (updatedAt === null) return null;
  return <> · {t('todos.updated', formatAgo(locale, updatedAt, now))}</>;
}
