import { LineReader, type LogLine } from '@/lib/ansi';
import { Lane } from './lane';

let lane: Lane<string, LogLine[]> | null = null;

/** The lines of a piece of output, read in a worker so that the page stays free. */
export function readLines(text: string): Promise<LogLine[]> {
  if (typeof Worker === 'undefined') return Promise.resolve(new LineReader().read(text));
  lane ??= new Lane(new Worker(new URL('./log.ts', import.meta.url), { type: 'module' }));
  return lane.ask(text);
}
