export { ShellsPanel } from './ShellsPanel';
