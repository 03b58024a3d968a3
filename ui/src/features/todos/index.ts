export { TodoIcon } from './TodoIcon';
export { TodoPanel } from './TodoPanel';
export { TodoStrip } from './TodoStrip';
