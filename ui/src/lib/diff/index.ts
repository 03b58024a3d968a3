export { align, hunksOf, MAX_EXACT_LINES, type Alignment, type Hunk } from './align';
export { LineNumbers, splitLines } from './lines';
export { diffStat, ProposalCounter, type Counted, type Owner } from './stat';
export type { Run } from './run';
