export { FoldedCards } from './FoldedCards';
export { ToolCard } from './ToolCard';
