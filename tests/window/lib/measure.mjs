// Figures of a running window: how slow the machine is just now, when the process began, how much memory it holds.

import { readFileSync } from 'node:fs';
import { descendants } from './processes.mjs';

/** What the calibration loop takes on the machine the budgets were written for. */
const CALIBRATION_MS = 160;
const CALIBRATION_RUNS = 5;
/** Above this the machine is too busy for a figure to mean anything. */
export const VOID_ABOVE = 3;
/** Clock ticks per second in /proc. */
const TICKS = 100;

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

export function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
}

/** By how much limits are stretched: the time of a fixed loop in the page against the one it was written for. */
export async function slowness(app) {
  const times = await app.browser.execute((runs) => {
    const once = () => {
      const start = performance.now();
      let x = 0;
      for (let i = 0; i < 2e7; i += 1) x = (x * 31 + i) | 0;
      window.__calibrated = x;
      return performance.now() - start;
    };
    return Array.from({ length: runs }, once);
  }, CALIBRATION_RUNS);
  return Math.max(1, median(times) / CALIBRATION_MS);
}

/** When a process began: milliseconds since 1970, to a hundredth of a second. */
export function startOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const uptimeMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
  return Date.now() - (uptimeMs - (ticks * 1000) / TICKS);
}

/** Memory of a process and all below it in MB; shared pages count once in all. */
export function proportionalMb(pid) {
  const kilobytes = [pid, ...descendants(pid)].map((one) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}
