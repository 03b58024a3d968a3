import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A file of the project's cases, as text. */
export function readCase(path: string): string {
  return readFileSync(resolve(import.meta.dirname, '../../tests/fixtures/cases', path), 'utf8');
}
