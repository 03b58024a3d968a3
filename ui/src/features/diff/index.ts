/** The small, always loaded part of this feature; the editor is loaded on first use. */
export type { DiffEditorHandle, DiffEditorProps } from './DiffEditor';
export { LiveStat, useStatWords } from './LiveStat';
export { NetStatText } from './NetStatText';
export { NotebookSwitch, type NotebookView } from './NotebookSwitch';
export { Proposal, type Outside, type ProposalState } from './proposal';
export { diffLines, hunksOfUnified, ownersByLine, type DiffLine } from './unified';
export { DiffLines, UnifiedDiff } from './UnifiedDiff';
