import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { countColours, look, pressClose } from '../lib/display.mjs';
import { program } from '../lib/paths.mjs';
import { environmentsOfWebView } from '../lib/processes.mjs';
import { useScene } from '../lib/scene.mjs';
import { poll } from '../lib/wait.mjs';

const DRAWING = 'WEBKIT_DISABLE_DMABUF_RENDERER';

/** No driver, no display, nothing of the person's. */
function plainEnvironment(home) {
  return { PATH: process.env.PATH, HOME: home, BENCHDOG_HOME: home, DBUS_SESSION_BUS_ADDRESS: 'disabled:' };
}

/** Values of a variable in the web view's own processes. */
function inWebView(app, name) {
  return new Set(environmentsOfWebView(app.pid).map((environment) => environment[name]));
}

describe('the window', () => {
  const scene = useScene();

  it('starts on an empty home, shows the first run, and closes', async () => {
    const app = await scene.launch();
    await app.find('html[data-app-state="first-run"]');
    const step = await app.get('first-run');
    assert.ok(await step.isDisplayed(), 'the first-run pages are what a new person sees');
    await app.quit();
    assert.ok(existsSync(path.join(scene.home.path, 'window.json')), 'the size is kept for the next start');
  });

  it('is not blank on a display without a graphics card', async () => {
    const env = { ...plainEnvironment(scene.home.path), DISPLAY: process.env.DISPLAY };
    const plain = spawn(program, { env, stdio: 'ignore' });
    await poll('more than an empty window', async () => countColours(await look(env.DISPLAY)) > 50, 10_000);
    await pressClose(env.DISPLAY);
    await poll('the program to end', () => plain.exitCode !== null);
    assert.equal(plain.exitCode, 0);
  });

  it('draws the safe way unless the person chose otherwise', async () => {
    const careful = await scene.launch();
    assert.deepEqual(inWebView(careful, DRAWING), new Set(['1']), 'set before the web view exists');
    await careful.quit();
    const chosen = await scene.launch({ [DRAWING]: '0' });
    assert.deepEqual(inWebView(chosen, DRAWING), new Set(['0']), 'a value of the person stays');
    await chosen.quit();
  });

  it('says so and ends when there is no display', () => {
    const env = plainEnvironment(scene.home.path);
    const ended = spawnSync(program, { env, encoding: 'utf8', timeout: 5000 });
    assert.equal(ended.status, 2);
    assert.match(ended.stderr, /display/);
  });

  it('shows nothing but its own pages', async () => {
    const app = await scene.launch();
    await app.get('app-root');
    const before = await app.browser.getUrl();
    const refused = await app.browser.execute(() => {
      window.open('https://example.org/');
      window.location.href = 'https://example.org/';
      return window.__TAURI_INTERNALS__
        .invoke('plugin:dialog|open', {})
        .then(() => 'allowed', () => 'refused');
    });
    assert.equal(refused, 'refused', 'a plugin is not for the page');
    assert.equal(await app.browser.getUrl(), before);
    assert.equal((await app.browser.getWindowHandles()).length, 1);
    await app.quit();
  });
});
