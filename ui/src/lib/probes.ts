/**
 * What views offer to the test hook. In a release build nobody reads it, and the hook itself is not there.
 */
export interface Probes {
  scrollTo: (itemKey: string) => boolean;
  [name: `editorText:${string}`]: (side: 'before' | 'after') => string;
  [name: `editorSet:${string}`]: (from: number, to: number, text: string) => void;
  [name: `terminalText:${string}`]: (fromLine: number, toLine: number) => string;
  [name: `terminalCursor:${string}`]: () => { x: number; y: number };
}

const probes = new Map<string, unknown>();

/** Offers something until the answer is called. */
export function provide<K extends keyof Probes>(name: K, probe: Probes[K]): () => void {
  probes.set(name, probe);
  return () => {
    if (probes.get(name) === probe) probes.delete(name);
  };
}

/** What is offered under a name, if anything. */
export function probe<K extends keyof Probes>(name: K): Probes[K] | undefined {
  return probes.get(name) as Probes[K] | undefined;
}
