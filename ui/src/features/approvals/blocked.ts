import type { Confirmation } from './useConfirmation';

/** A character that the file's encoding cannot hold, and where it stands in the text; both from 1. */
export interface Blocked {
  encoding: string;
  character: string;
  line: string;
  column: string;
}

/** Why the backend did not take the text, if it was one character. */
export function blockedBy({ state, error }: Confirmation): Blocked | null {
  if (state !== 'blocked' || !error) return null;
  const [encoding, character, line, column] = error.args;
  if (encoding === undefined || character === undefined || line === undefined || column === undefined)
    return null;
  return { encoding, character, line, column };
}
