// Waiting for a condition, never for time: `poll` returns as soon as the condition holds.

import net from 'node:net';

/** How long a condition may take on two slow, shared cores. */
export const PATIENCE_MS = 30_000;

const POLL_MS = 25;

/** The first value of `probe` that is not false, null or undefined. */
export async function poll(what, probe, patienceMs = PATIENCE_MS) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await probe();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A port of the loopback interface that was free a moment ago. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
