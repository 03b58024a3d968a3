import type { Counted } from '@/lib/diff';
import { DiffEngine, type DiffRequest } from './diffEngine';
import type { Answered, Numbered } from './lane';

const engine = new DiffEngine();

self.addEventListener('message', (event: MessageEvent<Numbered<DiffRequest>>) => {
  const { id, request } = event.data;
  const answered: Answered<Counted | null> = { id, answer: engine.answer(request) };
  self.postMessage(answered);
});
