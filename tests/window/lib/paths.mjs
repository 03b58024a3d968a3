// Where things lie: the program under test, the driver, and a fresh home for each test.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const packageRoot = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const repository = path.dirname(path.dirname(packageRoot));
const targetFolder = process.env.CARGO_TARGET_DIR ?? path.join(repository, 'target');

/** The window program, built with `custom-protocol`. */
export const program = process.env.BENCHDOG_WINDOW_PROGRAM ?? path.join(targetFolder, 'debug', 'benchdog-desktop');

const builtDriver = path.join(repository, 'target', 'tools', 'bin', 'tauri-driver');

/** `cargo xtask test` says which driver it found or built; otherwise one that it built before, or one on the path. */
export const tauriDriver = process.env.TAURI_DRIVER ?? (existsSync(builtDriver) ? builtDriver : 'tauri-driver');

/** Pictures and pages of failed tests. */
export const artifacts = path.join(packageRoot, 'artifacts');

/** Pictures that the documents show. */
export const pictures = path.join(packageRoot, 'screenshots');

/** A folder that is gone when `remove` was called. */
export function temporaryFolder(label) {
  const folder = mkdtempSync(path.join(tmpdir(), `benchdog-${label}-`));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
