import { begin } from '@/lib/activity';
import type { Counted } from '@/lib/diff';
import { DiffEngine, type DiffAnswer, type DiffRequest, type Numbered } from './diffEngine';

/** More would only wait for each other on the machines this runs on. */
const POOL_SIZE = 2;

interface Waiting {
  resolve: (counted: Counted | null) => void;
  reject: (reason: Error) => void;
  done: () => void;
}

/** One worker and the requests it has not answered. */
class Lane {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;

  constructor() {
    this.worker = new Worker(new URL('./diff.ts', import.meta.url), { type: 'module' });
    this.worker.addEventListener('message', (event: MessageEvent<DiffAnswer>) => {
      this.settle(event.data.id, (waiting) => {
        waiting.resolve(event.data.counted);
      });
    });
    this.worker.addEventListener('error', (event) => {
      for (const id of [...this.waiting.keys()]) {
        this.settle(id, (waiting) => {
          waiting.reject(new Error(event.message));
        });
      }
    });
  }

  ask(request: DiffRequest): Promise<Counted | null> {
    const id = this.nextId++;
    const done = begin();
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, done });
      this.worker.postMessage({ id, request } satisfies Numbered);
    });
  }

  private settle(id: number, answer: (waiting: Waiting) => void): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (!waiting) return;
    waiting.done();
    answer(waiting);
  }
}

const lanes: Lane[] = [];
const inPage = new DiffEngine();

/** Runs a request in a worker; all requests of one proposal go to the same one, in order. */
export function countInWorker(request: DiffRequest): Promise<Counted | null> {
  if (typeof Worker === 'undefined') return Promise.resolve(inPage.answer(request));
  const at = hash(request.key) % POOL_SIZE;
  const lane = (lanes[at] ??= new Lane());
  return lane.ask(request);
}

function hash(key: string): number {
  let value = 0;
  for (const letter of key) value = (value * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return value;
}
