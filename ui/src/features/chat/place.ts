import type { SessionId } from '@/bindings';

/** Where each session was left, if not at its end. Kept for as long as the window lives. */
const places = new Map<SessionId, { offset: number; count: number }>();

/** `null` forgets the place: the view was at the end. */
export function rememberPlace(sessionId: SessionId, offset: number | null, count: number): void {
  if (offset === null) places.delete(sessionId);
  else places.set(sessionId, { offset, count });
}

/** The place, if the session still has the same rows. */
export function recallPlace(sessionId: SessionId, count: number): number | null {
  const place = places.get(sessionId);
  return place?.count === count ? place.offset : null;
}
