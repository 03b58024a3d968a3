import type { ComponentType } from 'react';
import type { DiffEditorProps } from '@/features/diff';

let loaded: ComponentType<DiffEditorProps> | null = null;
const waiting = new Set<() => void>();

/** The editor, once it is there. */
export function loadedEditor(): ComponentType<DiffEditorProps> | null {
  return loaded;
}

export function onEditorLoaded(tell: () => void): () => void {
  waiting.add(tell);
  return () => {
    waiting.delete(tell);
  };
}

/** Loads the editor, if that did not happen yet. */
export function loadEditor(): void {
  if (loaded) return;
  import('@/features/diff/DiffEditor')
    .then((module) => {
      loaded = module.default;
      for (const tell of waiting) tell();
    })
    .catch((error: unknown) => {
      // The next card tries again.
      console.warn('the editor could not be loaded', error);
    });
}
