import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TEST_IDS } from './testids';

/** Every way in which the source names an id: `tid('…')`, `testId="…"`, and the fields of small tables. */
const USES = /(?:tid\(|\b(?:testId|closeTestId|test|result)(?:=|: ))['"]([a-z0-9-]+)['"]/g;

function source(): string {
  return readdirSync(import.meta.dirname, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.endsWith('testids.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

it('lists exactly the ids that are used', () => {
  const text = source();
  const used = new Set([...text.matchAll(USES)].map(([, id]) => id));
  for (const [, a, b] of text.matchAll(/\? tid\('([a-z0-9-]+)'\) : tid\('([a-z0-9-]+)'\)/g))
    used.add(a).add(b);
  expect([...used].sort()).toEqual([...TEST_IDS].sort());
});

it('keeps to the grammar', () => {
  for (const id of TEST_IDS) expect(id).toMatch(/^(?=.{1,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/);
  expect(new Set(TEST_IDS).size).toBe(TEST_IDS.length);
});

it('has no other way to name an element', () => {
  expect(source()).not.toMatch(/data-testid="/);
});
