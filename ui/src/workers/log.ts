import { LineReader, type LogLine } from '@/lib/ansi';
import type { Answered, Numbered } from './lane';

self.addEventListener('message', (event: MessageEvent<Numbered<string>>) => {
  const { id, request } = event.data;
  const answered: Answered<LogLine[]> = { id, answer: new LineReader().read(request) };
  self.postMessage(answered);
});
