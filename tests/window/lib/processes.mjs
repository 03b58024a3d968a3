// What /proc says about the processes of a test. Linux only, like the driver.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** State letter and parent of a process; null if it is gone. */
function stat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], parent: Number(fields[1]) };
  } catch {
    return null;
  }
}

/** The process exists and has not ended. A zombie has ended; only its parent has not heard of it yet. */
export function isAlive(pid) {
  const found = stat(pid);
  return found !== null && found.state !== 'Z';
}

/** All living descendants of a process. */
export function descendants(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    const child = Number(name);
    const found = Number.isInteger(child) ? stat(child) : null;
    if (found === null || found.state === 'Z') continue;
    children.set(found.parent, [...(children.get(found.parent) ?? []), child]);
  }
  const all = [];
  const open = [pid];
  while (open.length > 0) {
    const next = children.get(open.pop()) ?? [];
    all.push(...next);
    open.push(...next);
  }
  return all;
}

/** The descendant of `pid` that runs `executable`; undefined if there is none. */
export function descendantRunning(pid, executable) {
  return descendants(pid).find((child) => {
    try {
      return readlinkSync(`/proc/${child}/exe`) === executable;
    } catch {
      return false;
    }
  });
}

/** The environments of the web view's own processes under `pid`. */
export function environmentsOfWebView(pid) {
  const ofWebView = (child) => readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('WebKit');
  return descendants(pid).filter(ofWebView).map((child) => {
    const text = readFileSync(`/proc/${child}/environ`, 'utf8');
    return Object.fromEntries(text.split('\0').filter(Boolean).map((pair) => pair.split(/=(.*)/s)));
  });
}

/** Command lines of all living processes that mention `text`. */
export function commandLinesWith(text) {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !isAlive(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return line.includes(text) ? [line] : [];
    } catch {
      return [];
    }
  });
}
