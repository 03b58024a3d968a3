export { AuthorshipPanel } from './AuthorshipPanel';
export { OpenFile } from './OpenFile';
export { PutInLateWrite } from './PutInLateWrite';
export { RewindDialog } from './RewindDialog';
export { RewoundBar } from './RewoundBar';
export { UndoEdit } from './UndoEdit';
