import { begin } from '@/lib/activity';

/** A request with its number; the answer carries the same. */
export interface Numbered<Q> {
  id: number;
  request: Q;
}

export interface Answered<A> {
  id: number;
  answer: A;
}

interface Waiting<A> {
  resolve: (answer: A) => void;
  reject: (reason: Error) => void;
  done: () => void;
}

/** One worker and the requests it has not answered. */
export class Lane<Q, A> {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting<A>>();
  private nextId = 1;

  constructor(worker: Worker) {
    this.worker = worker;
    worker.addEventListener('message', (event: MessageEvent<Answered<A>>) => {
      this.settle(event.data.id, (waiting) => {
        waiting.resolve(event.data.answer);
      });
    });
    worker.addEventListener('error', (event) => {
      for (const id of [...this.waiting.keys()]) {
        this.settle(id, (waiting) => {
          waiting.reject(new Error(event.message));
        });
      }
    });
  }

  ask(request: Q): Promise<A> {
    const id = this.nextId++;
    const done = begin();
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, done });
      this.worker.postMessage({ id, request } satisfies Numbered<Q>);
    });
  }

  private settle(id: number, answer: (waiting: Waiting<A>) => void): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (!waiting) return;
    waiting.done();
    answer(waiting);
  }
}
