export { AuthorshipPanel } from './AuthorshipPanel';
export { RewindDialog } from './RewindDialog';
export { RewoundBar } from './RewoundBar';
export { UndoEdit } from './UndoEdit';
