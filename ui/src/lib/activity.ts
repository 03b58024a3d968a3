/**
 * Counts what is under way: events being applied, frames asked for, worker jobs. Tests wait until nothing is.
 */

let pending = 0;
let waiters: (() => void)[] = [];

/** Something began; call the answer once when it is done. */
export function begin(): () => void {
  pending += 1;
  let open = true;
  return () => {
    if (!open) return;
    open = false;
    pending -= 1;
    if (pending > 0) return;
    const due = waiters;
    waiters = [];
    for (const resolve of due) resolve();
  };
}

/** Resolves when nothing is under way. */
export function whenIdle(): Promise<void> {
  if (pending === 0) return Promise.resolve();
  return new Promise((resolve) => waiters.push(resolve));
}
