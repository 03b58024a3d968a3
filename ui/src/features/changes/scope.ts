import type { DiffScope, SessionId } from '@/bindings';

/** What is looked at: a folder, from when on, and whose changes are told apart. */
export interface Place {
  workspace: string;
  sessionId: SessionId | null;
  scope: DiffScope;
}

/** Names a place, to tell it from others. */
export function placeKey({ workspace, sessionId, scope }: Place): string {
  return JSON.stringify([workspace, sessionId, scope]);
}
