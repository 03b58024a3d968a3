import assert from 'node:assert/strict';
import { VOID_ABOVE, proportionalMb, slowness, startOf } from '../lib/measure.mjs';
import { useScene } from '../lib/scene.mjs';
import { poll } from '../lib/wait.mjs';

/** From the start of the process to a first screen that can be used. */
const START_LIMIT_MS = 1500;

describe('starting', () => {
  const scene = useScene();

  it('is quick (PB-11)', async () => {
    const app = await scene.launch();
    const ready = await poll('a first screen', () => app.hook('ready'));
    const took = ready - startOf(app.pid);
    const slow = await slowness(app);
    console.log(`      PB-11 first screen ${took.toFixed(0)} ms, ${proportionalMb(app.pid).toFixed(0)} MB, machine ×${slow.toFixed(2)}`);
    if (slow <= VOID_ABOVE) assert.ok(took <= START_LIMIT_MS * slow, `${took} ms`);
    await app.quit();
  });
});
