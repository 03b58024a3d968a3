import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newSession, question, say, turnEnded, writeSettings } from '../lib/acts.mjs';
import { useScene } from '../lib/scene.mjs';

const BEFORE = 'one\ntwo\nthree\n';

/** States of a call that still expects something. */
const OPEN_STATES = ['proposed', 'checked', 'asking', 'started'];

describe('a program that is killed in the middle of a turn', () => {
  const scene = useScene();

  it('comes back with every text once and one result for every call', async () => {
    const workspace = scene.folder('project');
    const file = path.join(workspace, 'notes.txt');
    writeFileSync(file, BEFORE);
    const model = await scene.model([
      { text: 'First I read the notes.', calls: [{ tool: 'read_file', args: { file_path: file } }] },
      {
        text: 'Now two things at once.',
        calls: [
          { tool: 'edit', args: { file_path: file, old_string: 'two', new_string: 'TWO' } },
          { tool: 'run_shell_command', args: { command: 'touch RAN' } },
        ],
      },
      { text: 'Everything is in order.' },
    ]);
    writeSettings(scene.home.path, { model, workspace });

    const first = await scene.launch();
    await newSession(first);
    await say(first, 'Tidy the notes');
    await question(first, 'edit');
    const before = await first.rows();
    await first.kill();
    assert.equal(readFileSync(file, 'utf8'), BEFORE, 'what was not allowed did not happen');
    assert.equal(existsSync(path.join(workspace, 'RAN')), false);

    const second = await scene.launch();
    await turnEnded(second);
    const after = await second.rows();
    for (const row of before.filter((one) => one.kind !== 'tool')) {
      const again = after.filter((one) => one.key === row.key);
      assert.equal(again.length, 1, `row ${row.key} is there once`);
      assert.equal(again[0].text, row.text, `row ${row.key} says the same`);
    }
    const calls = after.flatMap((row) => row.tools);
    assert.deepEqual(calls.map((call) => call.key).sort(), ['call_0_0', 'call_1_0', 'call_1_1']);
    for (const call of calls) assert.ok(!OPEN_STATES.includes(call.state), `${call.key} is ${call.state}`);
    assert.equal(calls.find((call) => call.key === 'call_0_0').state, 'done');
    await second.gone('confirm-card');
    assert.equal(model.requests.length, 2, 'nothing is sent by itself after a crash');

    await say(second, 'Go on');
    const request = await model.request(2);
    for (const id of ['call_0_0', 'call_1_0', 'call_1_1']) {
      const results = request.messages.filter((message) => message.tool_call_id === id);
      assert.equal(results.length, 1, `${id} has one result`);
    }
    const said = request.messages.filter((message) => message.role === 'assistant').map((message) => message.content);
    assert.equal(said.filter((text) => JSON.stringify(text).includes('First I read the notes.')).length, 1);
    assert.equal(said.filter((text) => JSON.stringify(text).includes('Now two things at once.')).length, 1);
    await turnEnded(second);
    assert.equal(readFileSync(file, 'utf8'), BEFORE);
    await second.quit();
  });
});
