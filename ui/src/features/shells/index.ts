export { ShellsPanel } from './ShellsPanel';
export { useEndNotices } from './useEndNotices';
