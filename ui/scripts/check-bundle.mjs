// Fails if the script that a start needs is too large, or if a release holds what only tests may have.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Packed size of everything that is loaded before the first screen. */
const MAX_INITIAL_BYTES = 250 * 1024;

/** Names that exist only in builds for tests or while developing. */
const FORBIDDEN = ['__bd', 'demoBackend', 'FakeBackend'];

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const page = readFileSync(join(dist, 'index.html'), 'utf8');
const pending = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path.replace(/^\//, ''));
const initial = new Map();
while (pending.length > 0) {
  const path = pending.pop();
  if (initial.has(path)) continue;
  const text = readFileSync(join(dist, path), 'utf8');
  initial.set(path, gzipSync(text).length);
  for (const [, from] of text.matchAll(/(?:^|[;}\s])import\s*(?:[^'"()]*?from\s*)?["'](\.[^"']+)["']/g)) {
    pending.push(normalize(join(dirname(path), from)));
  }
}

const bytes = [...initial.values()].reduce((sum, size) => sum + size, 0);
const problems = [];
if (bytes > MAX_INITIAL_BYTES)
  problems.push(`initial script is ${bytes} bytes packed, at most ${MAX_INITIAL_BYTES}`);
if (process.env.VITE_TEST_HOOKS !== '1') {
  for (const file of readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(dist, 'assets', file), 'utf8');
    for (const name of FORBIDDEN) if (text.includes(name)) problems.push(`${file} holds ${name}`);
  }
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`initial script: ${(bytes / 1024).toFixed(1)} KB packed in ${initial.size} files\n`);
