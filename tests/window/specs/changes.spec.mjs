import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Key } from 'webdriverio';
import { newSession, question, say, toolCard, turnEnded, typeIntoDiff, writeSettings } from '../lib/acts.mjs';
import { sel } from '../lib/app.mjs';
import { useScene } from '../lib/scene.mjs';
import { poll } from '../lib/wait.mjs';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const AI = BEFORE.replace('two', 'TWO\nTWO AND A HALF');
const LANDED = AI.replace('five\n', 'five mine\n');

/** Runs git without anything of the person's. */
function git(folder, ...args) {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const names = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.org'];
  const done = spawnSync('git', ['-C', folder, ...names, ...args], { env, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

describe('changes that landed', () => {
  const scene = useScene();

  /** A session in which an edit landed, with a line by hand. */
  async function begin({ repository = false, more = {} } = {}) {
    const workspace = scene.folder('project');
    const file = path.join(workspace, 'numbers.txt');
    writeFileSync(file, BEFORE);
    if (repository) {
      writeFileSync(path.join(workspace, 'notes.txt'), 'first\n');
      git(workspace, 'init', '--quiet');
      git(workspace, 'add', '.');
      git(workspace, 'commit', '--quiet', '-m', 'start');
    }
    const model = await scene.model([
      { calls: [{ tool: 'read_file', args: { file_path: file } }] },
      { calls: [{ tool: 'edit', args: { file_path: file, old_string: 'two', new_string: 'TWO\nTWO AND A HALF' } }] },
      { text: 'Done.' },
    ]);
    writeSettings(scene.home.path, { model, workspace, ...more });
    const app = await scene.launch();
    await newSession(app);
    await say(app, 'Write two large');
    const card = await question(app, 'edit');
    await typeIntoDiff(app, card, 6, ' mine');
    await app.get('confirm-card', { dirty: true });
    await app.press('confirm-allow-once', {}, card);
    await toolCard(app, 'call_1_0', 'done');
    await turnEnded(app);
    assert.equal(readFileSync(file, 'utf8'), LANDED);
    return { app, model, file, workspace };
  }

  const becomes = (file, text) => poll(`${path.basename(file)} to change`, () => readFileSync(file, 'utf8') === text);

  it('are undone and done again from their card', async () => {
    const { app, file } = await begin();
    const card = await toolCard(app, 'call_1_0', 'done');
    await app.press('tool-toggle', {}, card);
    await app.press('tool-undo', {}, card);
    await becomes(file, BEFORE);
    await app.get('tool-undone', {}, card);
    await app.snapshot('undone-edit');
    await app.press('tool-redo', {}, card);
    await becomes(file, LANDED);

    const theirs = `${LANDED}seven\n`;
    writeFileSync(file, theirs);
    await app.press('tool-undo', {}, card);
    const error = await app.get('tool-undo-error', { value: 'UNDO_CONFLICT' }, card);
    assert.ok(await error.isDisplayed());
    assert.equal(readFileSync(file, 'utf8'), theirs, 'what somebody else wrote is never lost');

    await app.press('tool-compare', {}, card);
    const dialog = await app.get('conflict-dialog');
    await app.get('conflict-file', { key: 'numbers.txt', value: 'merge' }, dialog);
    await app.snapshot('merge');
    await (await app.find(`${sel('conflict-view')} [data-value="versions"]`)).click();
    await app.get('conflict-side', { key: 'current', state: 'text' }, dialog);
    await app.snapshot('merge-versions');
    await app.press('conflict-merge');
    await becomes(file, `${BEFORE}seven\n`);
    await app.gone('conflict-dialog');
    await app.press('tool-redo', {}, card);
    await becomes(file, theirs);
    await app.quit();
  });

  it('go back with the conversation, and come again', async () => {
    const { app, file } = await begin({ more: { theme: 'light' } });
    const rows = (await app.rows()).length;
    await app.press('session-rewind');
    await app.press('session-rewind-item');
    const dialog = await app.get('rewind-dialog', { value: 'both' });
    await app.get('rewind-file', { key: 'numbers.txt', state: 'restore' }, dialog);
    await app.snapshot('rewind');
    await app.press('rewind-confirm');
    await becomes(file, BEFORE);
    const input = await app.get('composer-input');
    await poll('the words to come back', async () => (await input.getValue()) === 'Write two large');
    await app.get('rewind-bar');
    await app.snapshot('rewound');
    await app.press('rewind-undo');
    await becomes(file, LANDED);
    await poll('the rows to come back', async () => {
      const count = Number(await (await app.get('msg-list')).getAttribute('data-count'));
      return count >= rows;
    });
    await app.quit();
  });

  /** Lines of a file in the list, by whom. */
  async function counts(app, key) {
    const row = await app.get('wsdiff-file', { key });
    return app.browser.execute(
      (element) =>
        Object.fromEntries(
          [...element.querySelectorAll('[data-testid="wsdiff-stat"]')].map((part) => [
            part.dataset.key,
            [Number(part.dataset.added), Number(part.dataset.removed)],
          ]),
        ),
      row,
    );
  }

  it('are told apart by whose they are', async () => {
    const { app, file, workspace } = await begin({ repository: true });
    writeFileSync(path.join(workspace, 'notes.txt'), 'first\nby an editor\n');
    writeFileSync(path.join(workspace, 'new.txt'), 'fresh\n');
    await app.chord(Key.Ctrl, Key.Shift, 'd');
    await app.get('wsdiff', { value: 'head' });
    assert.deepEqual(await counts(app, 'numbers.txt'), { ai: [2, 1], human: [1, 1], other: [0, 0] });
    assert.deepEqual(await counts(app, 'notes.txt'), { ai: [0, 0], human: [0, 0], other: [1, 0] });
    assert.deepEqual(await counts(app, 'new.txt'), { ai: [0, 0], human: [0, 0], other: [1, 0] });

    await app.press('wsdiff-file', { key: 'numbers.txt' });
    const diff = await app.get('diff-editor', { editable: false });
    const owners = await poll('the owners of the lines', async () => {
      const found = await app.browser.execute(
        (element) => [...element.querySelectorAll('[data-owner]')].map((line) => line.dataset.owner),
        diff,
      );
      return found.length === 3 && found;
    });
    assert.deepEqual(owners, ['ai', 'ai', 'human']);
    await app.snapshot('workspace-diff');
    await app.resize(900, 600);
    await app.snapshot('workspace-diff-900x600');
    await app.resize(1280, 800);

    await (await app.find(`${sel('wsdiff-scope')} [data-value="session"]`)).click();
    await app.get('wsdiff', { value: 'session' });
    await app.gone('wsdiff-file', { key: 'new.txt' });
    assert.deepEqual(await counts(app, 'numbers.txt'), { ai: [2, 1], human: [1, 1], other: [0, 0] });

    await app.press('wsdiff-revert');
    await app.get('revert-lost');
    await app.snapshot('revert');
    await app.press('revert-confirm');
    await becomes(file, BEFORE);
    await app.press('toast-action');
    await becomes(file, LANDED);
    assert.ok(existsSync(path.join(workspace, 'new.txt')));
    await app.quit();
  });
});
