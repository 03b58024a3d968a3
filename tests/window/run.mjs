// Runs the specs, or those whose file name contains one of the arguments, on a display of their own.
// With `--pictures` the pictures in `screenshots/` are made anew.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { startDisplay } from './lib/display.mjs';
import { artifacts, pictures } from './lib/paths.mjs';

/** A spec starts the program several times; each start may take seconds on two shared cores. */
const SPEC_LIMIT_MS = 240_000;

const specs = path.join(import.meta.dirname, 'specs');
const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: { pictures: { type: 'boolean' } } });
const files = readdirSync(specs)
  .filter((name) => name.endsWith('.spec.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();

rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });
const display = await startDisplay();
process.env.DISPLAY = display.name;
if (values.pictures) process.env.BENCHDOG_PICTURES = pictures;
delete process.env.WAYLAND_DISPLAY;

// Whoever stops the tests stops what they started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.once('exit', () => display.stop());

const mocha = new Mocha({ timeout: SPEC_LIMIT_MS, slow: SPEC_LIMIT_MS / 4, failZero: true, forbidOnly: true, forbidPending: true });
for (const name of files) mocha.addFile(path.join(specs, name));
await mocha.loadFilesAsync();
mocha.run((failures) => {
  process.exit(failures === 0 ? 0 : 1);
});
