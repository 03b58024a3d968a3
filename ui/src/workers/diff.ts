import { DiffEngine, type DiffAnswer, type Numbered } from './diffEngine';

const engine = new DiffEngine();

self.addEventListener('message', (event: MessageEvent<Numbered>) => {
  const { id, request } = event.data;
  const answer: DiffAnswer = { id, counted: engine.answer(request) };
  self.postMessage(answer);
});
