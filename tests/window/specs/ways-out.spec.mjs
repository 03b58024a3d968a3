import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Key } from 'webdriverio';
import { newSession, question, say, toolCard, turnEnded, typeIntoDiff, writeSettings } from '../lib/acts.mjs';
import { sel } from '../lib/app.mjs';
import { lastOf } from '../lib/model-server.mjs';
import { useScene } from '../lib/scene.mjs';

const BEFORE = 'name=fixture\nstate=saved\nend=yes\n';

/** What a person may do instead of allowing, and what the call is then. */
const WAYS_OUT = [
  { name: 'says no', leave: (app, card) => app.press('confirm-reject', {}, card), state: 'denied', goesOn: true },
  { name: 'stops the turn', leave: (app) => app.press('composer-stop'), state: 'cancelled', goesOn: false },
];

describe('a proposal that was changed by hand and is not allowed', () => {
  const scene = useScene();

  async function begin() {
    const workspace = scene.folder('project');
    const file = path.join(workspace, 'fixture.txt');
    writeFileSync(file, BEFORE);
    const model = await scene.model([
      { calls: [{ tool: 'read_file', args: { file_path: file } }] },
      { calls: [{ tool: 'edit', args: { file_path: file, old_string: 'state=saved', new_string: 'state=lost' } }] },
      { text: 'As you wish.' },
    ]);
    writeSettings(scene.home.path, { model, workspace });
    const app = await scene.launch();
    await newSession(app);
    const modified = statSync(file).mtimeMs;
    await say(app, 'Change it');
    const card = await question(app, 'edit');
    await typeIntoDiff(app, card, 2, ' # by hand');
    await app.get('confirm-card', { kind: 'edit', dirty: true });
    const untouched = (when) => {
      assert.equal(readFileSync(file, 'utf8'), BEFORE, when);
      assert.equal(statSync(file).mtimeMs, modified, when);
      assert.deepEqual(readdirSync(workspace), ['fixture.txt'], when);
    };
    return { app, model, card, untouched };
  }

  for (const { name, leave, state, goesOn } of WAYS_OUT) {
    it(`is nowhere on disk when the person ${name}`, async () => {
      const { app, model, card, untouched } = await begin();
      await leave(app, card);
      await toolCard(app, 'call_1_0', state);
      await turnEnded(app);
      untouched('at once');
      if (goesOn) assert.match(JSON.stringify(lastOf(await model.request(2), 'tool')), /declined|rejected/i);
      await app.quit();
      untouched('after the program ended');
    });
  }

  it('still waits, with the edits, after Escape and after a look at another session', async () => {
    const { app, untouched } = await begin();
    await app.chord(Key.Escape);
    await newSession(app);
    untouched('while another session is on screen');
    const waiting = await app.find(`${sel('session-row')}[data-state="waiting"]`);
    await waiting.click();
    const again = await app.get('confirm-card', { kind: 'edit', dirty: true, state: 'editing' });
    await app.press('confirm-reject', {}, again);
    await toolCard(app, 'call_1_0', 'denied');
    untouched('after the answer');
    await app.quit();
    untouched('after the program ended');
  });
});
