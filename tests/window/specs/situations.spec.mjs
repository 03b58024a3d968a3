// Situations with commands from reports of people, in the window: waiting, leaving things behind, refusing to end,
// splitting characters, redrawing lines.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { newSession, say, toolCard, turnEnded, writeSettings } from '../lib/acts.mjs';
import { lastOf } from '../lib/model-server.mjs';
import { commandLinesWith } from '../lib/processes.mjs';
import { useScene } from '../lib/scene.mjs';
import {
  allow,
  caseFile,
  caseOf,
  closeAnyway,
  copyCase,
  openShells,
  rowIn,
  runs,
  screenText,
  shows,
  takeInput,
  terminal,
  typeLine,
} from '../lib/terminals.mjs';
import { poll } from '../lib/wait.mjs';

describe('a command', () => {
  const scene = useScene();

  /** A window in which the model has asked for the commands of a case, one answer per step. */
  async function begin(id, ...more) {
    const { steps } = caseOf(id);
    const workspace = scene.folder('project');
    copyCase(id, workspace);
    const turns = steps.filter((step) => step.turn !== undefined).map((step) => runs(...step.turn.map((call) => call.args)));
    const model = await scene.model([...turns, ...more, { text: 'Done.' }]);
    writeSettings(scene.home.path, { model, workspace });
    const app = await scene.launch();
    await newSession(app);
    return { app, model, workspace, file: (name) => path.join(workspace, name) };
  }

  /** The result of the call that request `at` brings back, as the model reads it. */
  async function resultOf(model, at) {
    const { content } = lastOf(await model.request(at), 'tool');
    return typeof content === 'string' ? content : content.map((part) => part.text).join('');
  }

  it('that asks a person does not hang the turn, and can be answered (PT-01)', async () => {
    const { app, model, workspace } = await begin('PT-01');
    const setup = spawnSync('sh', [caseFile('PT-01', 'input/setup.sh')], { cwd: workspace, env: { PATH: process.env.PATH, HOME: workspace } });
    assert.equal(setup.status, 0, String(setup.stderr));
    await say(app, 'Look at the history');
    await allow(app);
    const started = performance.now();
    const log = await resultOf(model, 1);
    assert.ok(performance.now() - started < 10_000, 'no pager waits for a key');
    assert.match(log, /commit number 120\n[^]*commit number 1\n/);
    assert.doesNotMatch(log, /\(END\)/);

    await allow(app);
    const asked = performance.now();
    const unanswered = await resultOf(model, 2);
    assert.ok(performance.now() - asked < 8_000, 'its time was four seconds');
    assert.match(unanswered, /timed out after 4000 ms[^]*Ok to proceed\?/);
    assert.deepEqual(commandLinesWith('ask.sh'), [], 'nothing of it is left');

    await allow(app);
    const { id } = await terminal(app);
    await shows(app, id, 'Ok to proceed?');
    await takeInput(app);
    await app.type('y');
    await shows(app, id, '(y/N) y');
    await typeLine(app, '');
    const answered = await resultOf(model, 3);
    assert.match(answered, /confirmed[^]*Exit Code: 0/);
    await turnEnded(app);
    await app.quit();
  });

  it('that leaves something running ends, says what it left, and takes it along (PT-02)', async () => {
    const { app, model } = await begin('PT-02');
    await say(app, 'Start both');
    for (const [at, words, left] of [[1, 'started', 1], [2, 'up', 2]]) {
      await allow(app);
      const pressed = performance.now();
      const result = await resultOf(model, at);
      assert.ok(performance.now() - pressed < 5_000, 'the end of the shell is the end of the command');
      assert.match(result, new RegExp(`${words}[^]*Exit Code: 0[^]*Still running: .*sleep`));
      assert.equal(commandLinesWith('sleep 471').filter((line) => line.startsWith('sleep')).length, at === 1 ? 1 : 3, `${left} more`);
    }
    await turnEnded(app);
    await openShells(app);
    const first = await rowIn(app, 'sleep 4711', 'completed');
    const left = await app.get('shell-leftovers', {}, await app.get('shell-row', { key: first.key }));
    assert.equal(await left.getAttribute('data-count'), '1');
    assert.match(await left.getText(), /sleep/, 'by name');
    await app.press('shell-kill', {}, await app.get('shell-row', { key: first.key }));
    await poll('the first to be gone', () => commandLinesWith('sleep 4711').length === 0);
    await poll('the row to say so', async () => !(await left.isExisting()));
    const { state } = await rowIn(app, 'sleep 4711', 'completed');
    assert.equal(state, 'completed', 'how it ended does not change');
    await closeAnyway(app);
    await poll('nothing to be left', () => commandLinesWith('sleep 471').length === 0);
  });

  it('that leaves something running takes it along when its session goes (PT-02)', async () => {
    const { app } = await begin('PT-02');
    await say(app, 'Start both');
    await allow(app, 2);
    await turnEnded(app);
    assert.ok(commandLinesWith('sleep 471').length >= 3);
    await (await app.get('session-row')).moveTo();
    await app.press('session-menu');
    await app.press('session-delete');
    await poll('nothing to be left', () => commandLinesWith('sleep 471').length === 0);
    await app.quit();
  });

  it('is ended whole by its time, and from the list (PT-03)', async () => {
    const { app, model, file } = await begin('PT-03');
    const closed = () => poll('its port to be closed', () => isClosed(Number(readFileSync(file('port.txt'), 'utf8'))));
    await say(app, 'Listen');
    await allow(app);
    const { id } = await terminal(app);
    await shows(app, id, 'listening');
    await app.press('pty-stop');
    const pressed = performance.now();
    await poll('all of it to be gone', () => commandLinesWith('tok-stop-71').length === 0);
    assert.ok(performance.now() - pressed < 5_000, 'also what does not hear Ctrl+C');
    await closed();
    assert.match(await resultOf(model, 1), /cancelled[^]*listening/);

    await allow(app);
    const timedOut = await resultOf(model, 2);
    assert.match(timedOut, /timed out after 3000 ms[^]*listening/);
    await poll('all of it to be gone', () => commandLinesWith('tok-time-72').length === 0);
    await closed();

    await allow(app);
    await turnEnded(app);
    await openShells(app);
    const row = await rowIn(app, 'tok-bg-73', 'running');
    await app.press('shell-kill', {}, await app.get('shell-row', { key: row.key }));
    await poll('all of it to be gone', () => commandLinesWith('tok-bg-73').length === 0);
    await rowIn(app, 'tok-bg-73', 'cancelled');
    await closed();
    await say(app, 'And now?');
    await turnEnded(app);
    await app.quit();
  });

  it('that writes one byte at a time loses no character (PT-05)', async () => {
    const { app, model, file } = await begin('PT-05', runs('python3 dribble.py short.txt slow; read -r end'));
    const [short, long] = ['short.txt', 'long.txt'].map((name) => readFileSync(file(name), 'utf8'));
    await say(app, 'Dribble');
    await allow(app);
    assert.ok((await resultOf(model, 1)).includes(short.trimEnd()));
    await allow(app);
    assert.ok((await resultOf(model, 2)).includes(long.trimEnd()), 'every character, in order');
    await allow(app, 2);
    const { id } = await terminal(app);
    const last = short.trimEnd().split('\n').at(-1);
    assert.ok((await shows(app, id, last)).startsWith(short.trimEnd()), 'on screen, too');
    await takeInput(app);
    await typeLine(app, '');
    await turnEnded(app);
    await openShells(app);
    const row = await rowIn(app, 'dribble.py long.txt', 'completed');
    await app.press('shell-open', {}, await app.get('shell-row', { key: row.key }));
    await app.get('log-view', { state: 'ready', key: row.key });
    const [beginning] = (await poll('its output', () => screenText(app, row.key))).split('\n');
    assert.ok(long.startsWith(beginning), 'the part of a long line that is shown');
    assert.ok(beginning.length >= 5_000);
    const kept = readdirSync(scene.home.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name === 'raw.bin')
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8').replaceAll('\r\n', '\n'));
    assert.equal(kept.filter((text) => text === long).length, 2, 'in both files');
    assert.ok(kept.every((text) => !text.includes('\ufffd')));
    await app.quit();
  });

  it('that redraws a line shows it moving, in colour, and the model its last state (PT-06)', async () => {
    const { app, model } = await begin('PT-06');
    await say(app, 'Build');
    await app.browser.execute(watchLines);
    await allow(app);
    const result = await resultOf(model, 1);
    assert.match(result, /Downloading pack: 100% \(100\/100\)\n[^]*Building 100%\n[^]*finished/);
    assert.doesNotMatch(result, /50%|\u001b|\r/);
    assert.ok(result.length < 400, `${result.length} characters`);
    const { states, greens } = await app.browser.execute(() => window.lines);
    assert.ok(states.length >= 3, `a moving line: ${states.join(', ')}`);
    assert.ok(greens > 0, 'in its colour');

    await allow(app);
    await toolCard(app, 'call_1_0', 'done');
    await turnEnded(app);
    await openShells(app);
    const row = await rowIn(app, 'progress.py', 'completed');
    await app.press('shell-open', {}, await app.get('shell-row', { key: row.key }));
    await app.get('log-view', { state: 'ready', key: row.key });
    const text = await poll('its output', () => screenText(app, row.key));
    assert.equal(text.trim(), 'Downloading pack: 100% (100/100)\nBuilding 100%\nfinished');
    await app.quit();
  });
});

/** Nobody answers at a port of this machine. */
function isClosed(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

/** In the page: the states of the line that moves, as they are painted, and how often its word was green. */
function watchLines() {
  window.lines = { states: [], greens: 0 };
  const look = () => {
    const rows = document.querySelector('[data-testid="pty-view"] .xterm-rows');
    const line = /Building\s+\d+%/.exec(rows?.textContent ?? '')?.[0];
    if (line && line !== window.lines.states.at(-1)) window.lines.states.push(line);
    if (rows && [...rows.querySelectorAll('.xterm-fg-2')].some((span) => span.textContent.includes('Building'))) window.lines.greens += 1;
    requestAnimationFrame(look);
  };
  look();
}
