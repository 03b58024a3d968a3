// The real program in its real window, driven through tauri-driver.
//
// Elements are found by test id and state, never by text or place; waiting is always for a state.

import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { remote } from 'webdriverio';
import { look, pressClose } from './display.mjs';
import { artifacts, program, tauriDriver } from './paths.mjs';
import { encodePng } from './png.mjs';
import { descendantRunning, descendants, isAlive } from './processes.mjs';
import { PATIENCE_MS, freePort, poll } from './wait.mjs';

/** A CSS selector for a test id with `data-` attributes: `sel('tool-card', { state: 'done' })`. */
export function sel(testId, attributes = {}) {
  const rest = Object.entries(attributes).map(([name, value]) => `[data-${name}=${JSON.stringify(String(value))}]`);
  return `[data-testid="${testId}"]${rest.join('')}`;
}

/** Drivers that run; they must not outlive the tests, however those end. */
const drivers = new Set();
process.once('exit', () => drivers.forEach(endGroup));

/** Ends a process and all of its group. */
function endGroup(driver) {
  if (driver.pid !== undefined && isAlive(driver.pid)) process.kill(-driver.pid, 'SIGKILL');
}

/** A list that shows the same edge so many times has come to its end. */
const STILL_POLLS = 10;

/** The place of a row: its key is its sequence number, or that of the first row it folds. */
function sequence(row) {
  return Number(row.key.replace(/\D+/, ''));
}

/** A started program. */
export class App {
  /** Starts the program on a home folder of its own; `env` is added to its environment. */
  static async launch({ home, env = {} }) {
    const app = new App();
    app.display = process.env.DISPLAY;
    await app.#startDriver(environment(home, env));
    try {
      app.browser = await remote({
        hostname: '127.0.0.1',
        port: app.port,
        logLevel: 'error',
        waitforTimeout: PATIENCE_MS,
        waitforInterval: 50,
        capabilities: {
          'wdio:enforceWebDriverClassic': true,
          'tauri:options': { application: program },
        },
      });
      app.pid = await poll('the program to run', () => descendantRunning(app.driver.pid, realpathSync(program)));
    } catch (error) {
      app.#stopDriver();
      throw error;
    }
    return app;
  }

  async #startDriver(env) {
    this.port = await freePort();
    const args = ['--port', String(this.port), '--native-port', String(await freePort())];
    // A process group of its own, so that nothing it started can outlive the test.
    this.driver = spawn(tauriDriver, args, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
    drivers.add(this.driver);
    let failure = null;
    this.driver.once('error', (error) => (failure = error));
    await poll('the driver to listen', async () => {
      if (failure !== null) throw failure;
      return fetch(`http://127.0.0.1:${this.port}/status`).then((response) => response.ok, () => false);
    });
  }

  #stopDriver() {
    endGroup(this.driver);
    drivers.delete(this.driver);
  }

  /** An element, once it exists. */
  async find(selector, within = this.browser) {
    const element = await within.$(selector);
    await element.waitForExist({ timeoutMsg: `no ${selector}` });
    return element;
  }

  /** An element by test id and state, once it exists. */
  get(testId, attributes = {}, within = this.browser) {
    return this.find(sel(testId, attributes), within);
  }

  /** Waits until no such element exists. */
  async gone(testId, attributes = {}) {
    const element = await this.browser.$(sel(testId, attributes));
    await element.waitForExist({ reverse: true, timeoutMsg: `${sel(testId, attributes)} is still there` });
  }

  /** Presses a control, once it can be pressed. */
  async press(testId, attributes = {}, within = this.browser) {
    const element = await this.get(testId, attributes, within);
    await element.waitForEnabled();
    await element.click();
  }

  /** Makes the window so large. */
  async resize(width, height) {
    await this.browser.setWindowSize(width, height);
    await this.browser.waitUntil(async () => {
      const [w, h] = await this.browser.execute(() => [window.innerWidth, window.innerHeight]);
      return w === width && h === height;
    });
  }

  /** Presses keys together, in whatever has the focus. */
  async chord(...keys) {
    await this.browser.keys(keys);
  }

  /** Types a text into whatever has the focus, one key after the other. */
  async type(text) {
    for (const character of text) await this.browser.keys(character);
  }

  /** A call of the page's test hook; `perf.start` names a part of it. */
  async hook(name, ...args) {
    const result = await this.browser.executeAsync(
      (hookName, hookArgs, done) => {
        const path = hookName.split('.');
        const last = path.pop();
        const part = path.reduce((hook, key) => hook[key], window.__bd);
        Promise.resolve(part[last](...hookArgs)).then(
          (value) => done({ value }),
          (error) => done({ error: String(error) }),
        );
      },
      name,
      args,
    );
    if (result.error !== undefined) throw new Error(`__bd.${name}: ${result.error}`);
    return result.value;
  }

  /** What every row of the transcript shows, top to bottom: key, kind, state, text, and its tool cards. */
  async rows() {
    const seen = new Map();
    const count = Number(await (await this.get('msg-list')).getAttribute('data-count'));
    let [end, last, still] = [0, null, 0];
    // The list holds only what is near its view: go up as long as new rows come, then down.
    await poll(`${count} rows`, async () => {
      const mounted = await this.#mountedRows(seen);
      if (seen.size === count) return true;
      const edge = mounted.at(end)?.key;
      still = edge === last ? still + 1 : 0;
      if (still > STILL_POLLS) [end, still] = [end === 0 ? -1 : 0, 0];
      last = edge;
      await this.hook('scrollTo', edge);
      return false;
    });
    return [...seen.values()].sort((a, b) => sequence(a) - sequence(b));
  }

  async #mountedRows(seen) {
    await this.hook('idle');
    const rows = await this.browser.execute(() =>
      [...document.querySelectorAll('[data-testid="msg-row"]')].map((row) => ({
        key: row.dataset.key,
        kind: row.dataset.kind,
        state: row.dataset.state,
        text: row.innerText,
        tools: [...row.querySelectorAll('[data-testid="tool-card"]')].map((card) => ({
          key: card.dataset.key,
          kind: card.dataset.kind,
          state: card.dataset.state,
        })),
      })),
    );
    for (const row of rows) seen.set(row.key, row);
    return rows;
  }

  /** A picture of the display in `file`. The driver's own pictures wait for the next change of a page that is still. */
  async #photograph(file) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, encodePng(await look(this.display)));
  }

  /** A picture for the eyes of people; it replaces one of the documents if the runner was asked to. */
  async picture(name) {
    await this.hook('idle');
    await this.#photograph(path.join(process.env.BENCHDOG_PICTURES ?? artifacts, `${name}.png`));
  }

  /** A picture for whoever changes how something looks; never one of the documents. */
  async snapshot(name) {
    await this.hook('idle');
    await this.#photograph(path.join(artifacts, `${name}.png`));
  }

  /** Keeps what the window shows, for whoever looks into a failed test. */
  async keepEvidence(name) {
    const base = path.join(artifacts, name.replaceAll(/[^\p{L}\p{N}]+/gu, '-'));
    await this.#photograph(`${base}.png`);
    writeFileSync(`${base}.html`, await this.browser.getPageSource());
  }

  /** Closes the window as a person does, and waits until the program has ended. */
  async quit() {
    await pressClose(this.display);
    await poll('the program to end', () => !isAlive(this.pid));
    this.#stopDriver();
  }

  /** Ends the program in the middle of whatever it does. */
  async kill() {
    process.kill(this.pid, 'SIGKILL');
    await poll('the program to be gone', () => !isAlive(this.pid));
    this.#stopDriver();
  }

  /** Ends everything, whatever state the test left it in. */
  async dispose() {
    const started = this.driver.pid === undefined ? [] : descendants(this.driver.pid);
    this.#stopDriver();
    for (const pid of started) {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  }

  /** The program runs. */
  get isRunning() {
    return isAlive(this.pid);
  }
}

/** Nothing of the person's environment reaches the program but the search path and the display. */
function environment(home, extra) {
  return {
    PATH: process.env.PATH,
    DISPLAY: process.env.DISPLAY,
    HOME: home,
    LANG: 'C.UTF-8',
    BENCHDOG_HOME: home,
    // Software drawing without a compositor is what a virtual display has.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    // No desktop runs here: without this GTK starts a bus, portals and an accessibility registry that outlive the test.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    NO_AT_BRIDGE: '1',
    GTK_A11Y: 'none',
    ...extra,
  };
}
