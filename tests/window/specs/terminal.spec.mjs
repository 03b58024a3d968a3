// A command and its live terminal: to watch, to type into, to keep a secret from, to send away, to end.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Key } from 'webdriverio';
import { newSession, say, toolCard, turnEnded, writeSettings } from '../lib/acts.mjs';
import { lastOf } from '../lib/model-server.mjs';
import { commandLinesWith, isAlive } from '../lib/processes.mjs';
import { useScene } from '../lib/scene.mjs';
import {
  allow,
  caseOf,
  copyCase,
  openShells,
  rowIn,
  rowWith,
  runs,
  screenText,
  shows,
  takeInput,
  terminal,
  typeLine,
} from '../lib/terminals.mjs';
import { poll } from '../lib/wait.mjs';

const SECRET = 'tr0ub4dor-and-3';

describe('a running command', () => {
  const scene = useScene();

  /** A window in which the model has asked for these commands, one after the other. */
  async function begin(...script) {
    const workspace = scene.folder('project');
    const model = await scene.model([...script, { text: 'Done.' }]);
    writeSettings(scene.home.path, { model, workspace });
    const app = await scene.launch();
    await newSession(app);
    return { app, model, workspace, file: (name) => path.join(workspace, name) };
  }

  const resultOf = async (model, at) => JSON.stringify(lastOf(await model.request(at), 'tool'));

  it('gets exactly the line that is typed while its keys are taken, and no other', async () => {
    const { app, file } = await begin(runs('read -r one; printf %s "$one" > one.txt; read -r two; printf %s "$two" > two.txt'));
    await say(app, 'Ask me');
    await allow(app);
    const { view } = await terminal(app);
    const composer = await app.get('composer-input');
    await composer.click();
    await app.type('not for you');
    assert.equal(await composer.getValue(), 'not for you');

    await takeInput(app);
    await typeLine(app, 'first line, 1 < 2');
    await poll('the first line to arrive', () => existsSync(file('one.txt')));
    assert.equal(readFileSync(file('one.txt'), 'utf8'), 'first line, 1 < 2');
    assert.equal(await composer.getValue(), 'not for you', 'what is typed goes to one place');

    await app.press('pty-give-back');
    await app.get('pty-input-banner', { owner: 'none' });
    await view.click();
    await app.type('nobody hears this');
    await takeInput(app);
    await typeLine(app, 'second');
    await toolCard(app, 'call_0_0', 'done');
    assert.equal(readFileSync(file('two.txt'), 'utf8'), 'second');
    await app.quit();
  });

  it('is told to take the keys by Enter, and gives them up for F6', async () => {
    const { app, file } = await begin(runs('read -r one; printf %s "$one" > one.txt'));
    await say(app, 'Ask me');
    await allow(app);
    const { id } = await terminal(app);
    const screen = await app.find(`[data-testid="pty-view"][data-key="${id}"] .xterm-helper-textarea`);
    await app.browser.execute((element) => element.focus(), screen);
    await app.chord(Key.Enter);
    await app.get('pty-input-banner', { owner: 'human' });
    await app.type('a');
    await app.chord(Key.Tab);
    await app.chord(Key.F6);
    const inside = await app.browser.execute(() => document.activeElement.closest('[data-testid="pty-view"]') !== null);
    assert.equal(inside, false, 'F6 leaves the terminal');
    await app.browser.execute((element) => element.focus(), screen);
    await typeLine(app, 'b');
    await toolCard(app, 'call_0_0', 'done');
    assert.match(readFileSync(file('one.txt'), 'utf8'), /^a\tb$/, 'Tab goes to the program, F6 does not');
    await app.quit();
  });

  it('keeps a password nowhere', async () => {
    const { app, model } = await begin(
      runs('read -rsp "Password: " p; echo; echo "length ${#p}"; read -rp "Name: " n; echo "hello $n"'),
    );
    await say(app, 'Log in');
    await allow(app);
    const { id } = await terminal(app);
    await shows(app, id, 'Password:');
    await app.get('pty-input-banner', { 'echo-off': true });
    await takeInput(app);
    await app.get('pty-hide-keys', { state: 'on' });
    await typeLine(app, SECRET);
    const text = await shows(app, id, `length ${SECRET.length}`);
    assert.doesNotMatch(text, new RegExp(SECRET));
    await typeLine(app, 'Ada-of-the-test');
    await toolCard(app, 'call_0_0', 'done');
    await turnEnded(app);
    const page = await app.browser.execute(() => document.documentElement.outerHTML);
    assert.ok(!page.includes(SECRET), 'not on screen');
    await app.quit();
    for (const request of model.requests) assert.ok(!JSON.stringify(request).includes(SECRET), 'not sent to the model');
    assert.ok(found(scene.home.path, 'Ada-of-the-test').length > 0, 'this search finds what was shown');
    assert.deepEqual(found(scene.home.path, SECRET), [], 'not kept in any file');
  });

  it('goes on in the background, the same process, while the model goes on, too', async () => {
    const { app, model, file } = await begin(
      runs('echo "pid $$"; n=0; while [ ! -e stop ]; do n=$((n+1)); echo "tick $n"; sleep 0.1; done; echo "bye"'),
    );
    await say(app, 'Serve');
    await allow(app);
    const { id } = await terminal(app);
    const before = await shows(app, id, 'tick 3');
    const pid = Number(/pid (\d+)/.exec(before)[1]);
    await app.press('pty-promote');
    const result = await resultOf(model, 1);
    assert.match(result, /moved to the background/);
    assert.ok(result.includes(String(pid)), 'the model hears which process it is');
    await turnEnded(app);
    await openShells(app);
    const row = await rowIn(app, 'tick', 'running');
    assert.equal(row.key, id);
    assert.equal(row.pid, pid, 'the same process');
    assert.ok(isAlive(pid));
    await app.press('shell-open');
    await shows(app, id, 'tick 3');
    const seen = Number(/tick (\d+)\s*$/.exec((await screenText(app, id)).trimEnd())[1]);
    await shows(app, id, `tick ${seen + 5}`);
    writeFileSync(file('stop'), '');
    await app.get('shell-detail', { key: id, state: 'completed', value: '0' });
    await app.press('shell-back');
    await rowIn(app, 'tick', 'completed');
    await app.quit();
  });

  it('is stopped with everything it started, and the program says how many that is', async () => {
    const { steps } = caseOf('PT-03');
    const { command } = steps[0].turn[0].args;
    const { app, workspace } = await begin(runs(command));
    copyCase('PT-03', workspace);
    await say(app, 'Listen');
    await allow(app);
    const { id } = await terminal(app);
    await shows(app, id, 'listening');
    await openShells(app);
    const children = await app.get('shell-children');
    assert.ok(Number(await children.getAttribute('data-count')) >= 4, 'sh, and four levels');
    assert.ok(commandLinesWith('tok-stop-71').length >= 4);
    const pressed = performance.now();
    await app.press('pty-kill');
    await poll('the whole tree to be gone', () => commandLinesWith('tok-stop-71').length === 0);
    assert.ok(performance.now() - pressed < 5_000, 'within five seconds');
    assert.equal((await rowIn(app, 'tree.py', 'cancelled')).state, 'cancelled');
    await app.quit();
  });

  it('has one end, also when it ends by itself while Kill is pressed', async () => {
    const { app, file } = await begin(runs('while [ ! -e stop ]; do sleep 0.02; done; exit 3'));
    await say(app, 'Race');
    await allow(app);
    await terminal(app);
    await openShells(app);
    await rowIn(app, 'exit 3', 'running');
    await app.browser.execute(() => {
      const row = document.querySelector('[data-testid="shell-row"]');
      window.states = [row.dataset.state];
      new MutationObserver(() => {
        const now = document.querySelector('[data-testid="shell-row"]')?.dataset.state;
        if (now !== window.states.at(-1)) window.states.push(now);
      }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] });
    });
    const kill = await app.get('pty-kill');
    writeFileSync(file('stop'), '');
    await Promise.all([kill.click()]);
    await turnEnded(app);
    await app.hook('idle');
    const states = await app.browser.execute(() => window.states);
    assert.equal(states.length, 2, states.join(' → '));
    assert.ok(['failed', 'cancelled'].includes(states[1]), states[1]);
    await app.quit();
  });

  it('looks the same after the page was loaded anew, in colour and on the other screen, too', async () => {
    const { app } = await begin(
      runs(
        'for i in $(seq 1 60); do printf "\\033[3%dmline %d 中文 🙂\\033[0m\\n" $((i % 8)) $i; done; printf "no end"; while [ ! -e alt ]; do sleep 0.05; done; printf "\\033[?1049h\\033[2J\\033[5;10Hin the middle\\033[12;3H"; while [ ! -e stop ]; do sleep 0.05; done; printf "\\033[?1049l"',
      ),
    );
    await say(app, 'Draw');
    await allow(app);
    const { id } = await terminal(app);
    await shows(app, id, 'no end');
    await sameAfterReload(app, id, 'no end');
    const workspace = scene.folders.at(-1).path;
    writeFileSync(path.join(workspace, 'alt'), '');
    await shows(app, id, 'in the middle');
    await sameAfterReload(app, id, 'in the middle');
    writeFileSync(path.join(workspace, 'stop'), '');
    await toolCard(app, 'call_0_0', 'done');
    await app.quit();
  });

  it('is not answered by the window when it asks the terminal a question', async () => {
    const [first, second] = caseOf('PT-08').steps.map((step) => step.turn[0].args);
    const { app, model, workspace } = await begin(runs(first), runs(second));
    copyCase('PT-08', workspace);
    await say(app, 'Where is the cursor?');
    await allow(app);
    const asked = await resultOf(model, 1);
    assert.match(asked, /cursor reported/);
    assert.match(asked, /next/);
    await allow(app);
    const { id } = await terminal(app);
    await app.browser.refresh();
    await terminal(app);
    const text = await screenText(app, id);
    assert.doesNotMatch(text ?? '', /\[\d+;\d+R|\[\?/, 'nothing was typed as an answer');
    assert.doesNotMatch(await resultOf(model, 2), /\[\d+;\d+R/);
    await app.quit();
  });

  it('survives every size of its view while wide characters are on screen', async () => {
    const { command } = caseOf('PT-04').steps[0].turn[0].args;
    const { app, model, workspace } = await begin(runs(command), runs('echo still here'));
    copyCase('PT-04', workspace);
    await say(app, 'Write wide');
    await allow(app);
    const { id } = await terminal(app);
    await shows(app, id, /\d{4} 界가あ/);
    const box = await app.find(`[data-testid="pty-view"][data-key="${id}"] .pty-screen`);
    for (const [width, height] of [[650, 340], [330, 340], [40, 340], [12, 340], [650, 20], [8, 8], [1, 0], [980, 600], [650, 340]]) {
      await app.browser.execute(
        (element, w, h) => {
          element.style.cssText = `width:${w}px;height:${h}px;min-height:0;max-height:none`;
        },
        box,
        width,
        height,
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const size = await (await app.get('pty-size')).getAttribute('data-value');
    assert.match(size, /^\d{2,3}x\d{1,2}$/);
    assert.match(await resultOf(model, 1), /END-OF-WIDE/);
    await allow(app);
    assert.match(await resultOf(model, 2), /still here/);
    await turnEnded(app);
    await app.quit();
    const logs = found(scene.home.path, 'panicked');
    assert.deepEqual(logs, [], 'nothing went wrong inside');
  });
});

/** Loads the page anew and compares what the terminal shows. */
async function sameAfterReload(app, id, words) {
  const picture = async () => ({ text: await screenText(app, id), cursor: await app.hook('terminalCursor', id) });
  await app.hook('idle');
  const before = await picture();
  await app.browser.refresh();
  await app.find('html[data-app-state="ready"]');
  await terminal(app);
  await shows(app, id, words);
  await app.hook('idle');
  assert.deepEqual(await picture(), before);
}

/** Files below a folder that contain these bytes. */
function found(folder, words) {
  const needle = Buffer.from(words);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${path.sep}webview${path.sep}`) && readFileSync(file).includes(needle));
}
