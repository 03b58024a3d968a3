import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newSession, question, say, statistic, toolCard, turnEnded, typeIntoDiff, writeSettings } from '../lib/acts.mjs';
import { lastOf } from '../lib/model-server.mjs';
import { useScene } from '../lib/scene.mjs';

const BEFORE = 'def greet(name):\r\n    return "Hello " + name\r\n\r\n\r\nprint(greet("you"))\r\n';
const PROPOSED_LINE = '    return f"Hello {name}"';

describe('approval', () => {
  const scene = useScene();

  async function begin(script) {
    const workspace = scene.folder('project');
    const file = path.join(workspace, 'greet.py');
    writeFileSync(file, BEFORE);
    const model = await scene.model(script(file));
    writeSettings(scene.home.path, { model, workspace });
    const app = await scene.launch();
    await newSession(app);
    return { app, model, file, workspace };
  }

  it('writes exactly what the person made of a proposal, and tells the model', async () => {
    const { app, model, file } = await begin((path_) => [
      { text: 'I will look first.', calls: [{ tool: 'read_file', args: { file_path: path_ } }] },
      {
        text: 'One line is better with a format string.',
        calls: [
          {
            tool: 'edit',
            args: { file_path: path_, old_string: '    return "Hello " + name', new_string: PROPOSED_LINE },
          },
        ],
      },
      { text: 'Done.' },
    ]);
    await say(app, 'Please make greet nicer');
    const card = await question(app, 'edit');
    assert.deepEqual(await statistic(app, card, 'ai'), { added: 1, removed: 1 });
    assert.equal(readFileSync(file, 'utf8'), BEFORE, 'nothing is on disk before the answer');

    await typeIntoDiff(app, card, 1, '  # mine');
    await app.get('confirm-card', { kind: 'edit', dirty: true });
    assert.deepEqual(await statistic(app, card, 'human'), { added: 1, removed: 1 });
    assert.equal(readFileSync(file, 'utf8'), BEFORE, 'typing writes nothing');

    await app.press('confirm-allow-once', {}, card);
    await toolCard(app, 'call_1_0', 'done');
    const expected = BEFORE.replace('greet(name):', 'greet(name):  # mine').replace(
      '    return "Hello " + name',
      PROPOSED_LINE,
    );
    assert.equal(readFileSync(file, 'utf8'), expected, 'byte for byte, line ends kept');

    const told = lastOf(await model.request(2), 'tool').content;
    assert.match(JSON.stringify(told), /# mine/, 'the model is told the text that is on disk');
    await turnEnded(app);
    await app.quit();
  });

  it('does nothing when the person says no, and passes their words on', async () => {
    const { app, model, file } = await begin((path_) => [
      { calls: [{ tool: 'write_file', args: { file_path: path_.replace('greet', 'new'), content: 'x = 1\n' } }] },
      { text: 'As you wish.' },
    ]);
    await say(app, 'Make a new file');
    const card = await question(app, 'write');
    await app.press('confirm-reject-feedback', {}, card);
    await (await app.get('confirm-feedback-input', {}, card)).addValue('put it into greet.py');
    await app.press('confirm-feedback-send', {}, card);
    await toolCard(app, 'call_0_0', 'denied');
    assert.equal(existsSync(file.replace('greet', 'new')), false);
    assert.match(JSON.stringify(lastOf(await model.request(1), 'tool')), /put it into greet\.py/);
    await turnEnded(app);
    await app.quit();
  });

  it('is never given by typing', async () => {
    const { app, model, workspace } = await begin(() => [
      { hold: 'before', calls: [{ tool: 'run_shell_command', args: { command: 'touch APPROVED' } }] },
      { text: 'Done.' },
    ]);
    await say(app, 'Go');
    await model.request(0);
    const input = await app.get('composer-input');
    await input.click();
    await app.type('please ');
    model.release();
    await question(app, 'exec');
    await app.type('wait yes 1 y ');
    assert.equal(await input.isFocused(), true, 'a question does not take the focus from a field in use');
    assert.equal(await input.getValue(), 'please wait yes 1 y ', 'no character is swallowed');
    assert.equal(existsSync(path.join(workspace, 'APPROVED')), false);
    await app.press('confirm-allow-once');
    await toolCard(app, 'call_0_0', 'done');
    assert.equal(existsSync(path.join(workspace, 'APPROVED')), true, 'a press on the button is an answer');
    await app.quit();
  });
});
