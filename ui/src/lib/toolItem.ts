import type { ItemBody } from '@/bindings';

/** A call as a row of the transcript. */
export type ToolItem = Extract<ItemBody, { kind: 'tool' }>;
