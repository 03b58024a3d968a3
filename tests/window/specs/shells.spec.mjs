// The list of commands: true in every state, and nothing left when the window closes.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newSession, question, say, turnEnded, writeSettings } from '../lib/acts.mjs';

import { pressClose } from '../lib/display.mjs';
import { lastOf } from '../lib/model-server.mjs';
import { commandLinesWith, isAlive } from '../lib/processes.mjs';
import { useScene } from '../lib/scene.mjs';
import { allow, caseOf, closeAnyway, openShells, rowIn, rowWith, runs, screenText } from '../lib/terminals.mjs';
import { poll } from '../lib/wait.mjs';

const background = (command) => ({ command, is_background: true });

describe('the list of commands', () => {
  const scene = useScene();

  async function begin(script, settings = {}) {
    const workspace = scene.folder('project');
    const model = await scene.model([...script, { text: 'Done.' }]);
    writeSettings(scene.home.path, { model, workspace, ...settings });
    const app = await scene.launch();
    await newSession(app);
    return { app, model, workspace, file: (name) => path.join(workspace, name) };
  }

  it('tells the truth about each of them, also after a restart', async () => {
    const [quiet, fails, completes, killed] = caseOf('PT-07').steps[0].turn.map((call) => call.args);
    const { app, model } = await begin([runs(quiet, fails, completes, killed), { text: 'Started.' }]);
    await say(app, 'Start them');
    await allow(app, 4);
    const results = (await model.request(1)).messages.filter((message) => message.role === 'tool');
    assert.equal(results.length, 4);
    for (const { content } of results) assert.match(JSON.stringify(content), /pid/i, 'the model hears which process it is');
    await openShells(app);
    const row = await rowIn(app, killed.command, 'running');
    await app.press('shell-kill', {}, await app.get('shell-row', { key: row.key }));
    const first = await rowIn(app, killed.command, 'cancelled');
    assert.match(first.text, /stopped/);
    const failed = await rowIn(app, fails.command, 'failed');
    assert.equal(failed.value, '3');
    assert.match(failed.text, /exit 3/);
    assert.equal((await rowIn(app, completes.command, 'completed')).value, '0');
    const running = await rowWith(app, quiet.command);
    assert.equal(running.state, 'running', 'silence is no end');
    assert.ok(isAlive(running.pid));
    const order = await app.browser.execute(() => [...document.querySelectorAll('[data-testid="shell-row"]')].map((one) => one.dataset.state));
    assert.equal(order[0], 'running', 'what runs comes first');
    assert.equal((await rowWith(app, killed.command)).state, 'cancelled', 'a later exit changes nothing');

    await app.press('shell-open', {}, await app.get('shell-row', { key: failed.key }));
    await app.get('log-view', { state: 'ready', key: failed.key });
    await poll('its output', async () => (await screenText(app, failed.key)) === 'first\nlast');
    await app.press('shell-back');

    await app.kill();
    await poll('the processes to be gone', () => commandLinesWith(quiet.command).length === 0);
    const again = await scene.launch();
    await again.find('html[data-app-state="ready"]');
    await openShells(again);
    const lost = await rowIn(again, quiet.command, 'lost');
    assert.match(lost.text, /was running when Benchdog closed/);
    await again.quit();
  });

  it('notices a process that is killed from outside, and counts what it started', async () => {
    const { app } = await begin([runs(background('sleep 41 & sleep 42 & sleep 43'))]);
    await say(app, 'Start it');
    await allow(app);
    await turnEnded(app);
    await openShells(app);
    const { pid } = await rowIn(app, 'sleep 42', 'running');
    const children = await app.get('shell-children');
    await poll('three processes', async () => (await children.getAttribute('data-count')) === '3');
    process.kill(pid, 'SIGKILL');
    const pressed = performance.now();
    const row = await rowIn(app, 'sleep 42', 'failed');
    assert.ok(performance.now() - pressed < 5_000, 'within five seconds');
    assert.match(row.text, /SIGKILL/);
    // What it left still runs, so a polite close would ask first.
    await app.kill();
    await poll('nothing to be left', () => commandLinesWith('sleep 4').length === 0);
  });

  it('ends all of them at once after it has shown which', async () => {
    const { app } = await begin([runs(background('sleep 51'), background('sleep 52'))]);
    await say(app, 'Start them');
    await allow(app, 2);
    await turnEnded(app);
    await openShells(app);
    await rowIn(app, 'sleep 52', 'running');
    await app.press('shell-kill-all');
    const list = await app.get('killall-list');
    assert.equal(await list.getAttribute('data-count'), '2');
    assert.match(await list.getText(), /sleep 51[^]*sleep 52/);
    const focused = await app.browser.execute(() => document.activeElement.dataset.testid);
    assert.equal(focused, 'killall-cancel', 'the safe answer has the focus');
    await app.press('killall-cancel');
    await app.gone('killall-list');
    assert.equal((await rowWith(app, 'sleep 51')).state, 'running');
    await app.press('shell-kill-all');
    await app.press('killall-confirm');
    await rowIn(app, 'sleep 51', 'cancelled');
    await rowIn(app, 'sleep 52', 'cancelled');
    await poll('no process', () => commandLinesWith('sleep 5').length === 0);
    await app.press('shell-remove-ended');
    await app.gone('shell-row');
    await app.browser.refresh();
    await app.find('html[data-app-state="ready"]');
    await openShells(app);
    await app.gone('shell-row');
    await app.quit();
  });

  it('runs one again only through a question like any other', async () => {
    const { app, model, file } = await begin([runs('echo once >> ran.txt'), { text: 'Ran.' }, runs('echo once >> ran.txt')]);
    await say(app, 'Run it');
    await allow(app);
    await turnEnded(app);
    await openShells(app);
    await rowIn(app, 'ran.txt', 'completed');
    await app.press('shell-again');
    const asked = await model.request(2);
    assert.match(JSON.stringify(lastOf(asked, 'user').content), /echo once >> ran\.txt/);
    const card = await question(app, 'exec');
    await app.press('confirm-reject', {}, card);
    await turnEnded(app);
    assert.equal(readFileSync(file('ran.txt'), 'utf8'), 'once\n', 'nothing ran because of a button');
    await app.quit();
  });

  it('tells the person of an end who wanted to hear of it, and not the agent who should not', async () => {
    const { app, model, file } = await begin([runs(background('while [ ! -e stop ]; do sleep 0.05; done')), { text: 'Started.' }]);
    await say(app, 'Start it');
    await allow(app);
    await turnEnded(app);
    await openShells(app);
    await app.press('shell-open');
    const me = await app.get('shell-notify-me');
    assert.equal(await me.isSelected(), false);
    const agent = await app.get('shell-notify-agent');
    assert.equal(await agent.isSelected(), true, 'an agent hears of what it started');
    await me.click();
    await poll('the choice to be kept', () => me.isSelected());
    await agent.click();
    await poll('the choice to be kept', async () => !(await agent.isSelected()));
    await newSession(app);
    writeFileSync(file('stop'), '');
    const toast = await app.get('toast');
    assert.match(await toast.getText(), /while .*: completed/);
    await app.press('toast-action');
    await app.get('shell-detail', { state: 'completed' });
    await say(app, 'And now?');
    const next = await model.request(2);
    assert.doesNotMatch(JSON.stringify(next.messages), /task-notification|ended by itself|completed/, 'the agent was not told');
    await app.quit();
  });
});

describe('closing the window', () => {
  const scene = useScene();

  async function withRunning(settings = {}) {
    const workspace = scene.folder('project');
    const model = await scene.model([runs(background('sleep 61'), background('sleep 62')), { text: 'Started.' }]);
    writeSettings(scene.home.path, { model, workspace, ...settings });
    const app = await scene.launch();
    await newSession(app);
    await say(app, 'Start them');
    await allow(app, 2);
    await turnEnded(app);
    assert.ok(commandLinesWith('sleep 6').length >= 2);
    return app;
  }

  const nothingLeft = () => poll('nothing to be left', () => commandLinesWith('sleep 6').length === 0);

  it('shows which commands run, and lets the person stay', async () => {
    const app = await withRunning();
    await pressClose(app.display);
    const list = await app.get('quit-list', { count: 2 });
    assert.match(await list.getText(), /sleep 61[^]*sleep 62/);
    const focused = await app.browser.execute(() => document.activeElement.dataset.testid);
    assert.equal(focused, 'quit-cancel', 'the safe answer has the focus');
    await app.press('quit-cancel');
    await app.gone('quit-list');
    assert.ok(app.isRunning);
    assert.equal(commandLinesWith('sleep 6').length >= 2, true, 'they go on');

    await pressClose(app.display);
    await app.get('quit-list', { count: 2 });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await pressClose(app.display);
    await app.get('quit-list', { count: 2 });
    assert.ok(app.isRunning, 'only the buttons answer while the dialog is there');
    await closeAnyway(app);
    await nothingLeft();
  });

  it('tells what became of them after the next start', async () => {
    const app = await withRunning();
    await closeAnyway(app);
    const again = await scene.launch();
    await again.find('html[data-app-state="ready"]');
    await openShells(again);
    await rowIn(again, 'sleep 61', 'cancelled');
    await rowIn(again, 'sleep 62', 'cancelled');
    await again.quit();
  });

  it('asks nobody who does not want to be asked', async () => {
    const app = await withRunning({ ask_before_quit: false });
    await app.quit();
    await nothingLeft();
  });

  it('works when the page hangs', async () => {
    const app = await withRunning();
    // Nobody waits for this script: it never ends.
    app.browser.execute(() => setTimeout(() => { for (;;); }, 0)).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await pressClose(app.display);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.ok(app.isRunning, 'one press is not enough: it could have been heard');
    await pressClose(app.display);
    await poll('the program to end', () => !isAlive(app.pid));
    await nothingLeft();
  });
});
