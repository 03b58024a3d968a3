import type { SessionId } from '@/bindings';
import type { Workbench } from '@/state';

interface Place {
  offset: number;
  count: number;
}

/** Where each session was left, if not at its end. Kept for as long as the window lives. */
const placesOf = new WeakMap<Workbench, Map<SessionId, Place>>();

function placesIn(workbench: Workbench): Map<SessionId, Place> {
  let places = placesOf.get(workbench);
  if (!places) {
    places = new Map();
    placesOf.set(workbench, places);
  }
  return places;
}

/** `null` forgets the place: the view was at the end. */
export function rememberPlace(workbench: Workbench, sessionId: SessionId, place: Place | null): void {
  if (place === null) placesIn(workbench).delete(sessionId);
  else placesIn(workbench).set(sessionId, place);
}

/** The place, if the session still has the same rows. */
export function recallPlace(workbench: Workbench, sessionId: SessionId, count: number): number | null {
  const place = placesIn(workbench).get(sessionId);
  return place?.count === count ? place.offset : null;
}
