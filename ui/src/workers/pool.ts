import type { Counted } from '@/lib/diff';
import { DiffEngine, type DiffRequest } from './diffEngine';
import { Lane } from './lane';

/** More would only wait for each other on the machines this runs on. */
const POOL_SIZE = 2;

type DiffLane = Lane<DiffRequest, Counted | null>;

const lanes: DiffLane[] = [];
const inPage = new DiffEngine();

/** Runs a request in a worker; all requests of one proposal go to the same one, in order. */
export function countInWorker(request: DiffRequest): Promise<Counted | null> {
  if (typeof Worker === 'undefined') return Promise.resolve(inPage.answer(request));
  const at = hash(request.key) % POOL_SIZE;
  const lane = (lanes[at] ??= newLane());
  return lane.ask(request);
}

function newLane(): DiffLane {
  return new Lane(new Worker(new URL('./diff.ts', import.meta.url), { type: 'module' }));
}

function hash(key: string): number {
  let value = 0;
  for (const letter of key) value = (value * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return value;
}
