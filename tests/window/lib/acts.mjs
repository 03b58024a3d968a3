// What a person does, in their own words.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Key } from 'webdriverio';
import { sel } from './app.mjs';

/** Settings of someone who has been here before: first run done, one scripted model, one folder. */
export function writeSettings(home, { model, workspace, ...more }) {
  mkdirSync(home, { recursive: true });
  const settings = {
    language: 'en',
    first_run_done: true,
    providers: [
      {
        id: 'scripted',
        kind: 'openai_chat',
        base_url: model.baseUrl,
        model: 'scripted',
        key_env: null,
        context_window: 128_000,
      },
    ],
    provider: 'scripted',
    recent_workspaces: [workspace],
    ...more,
  };
  writeFileSync(path.join(home, 'settings.json'), JSON.stringify(settings));
}

/** Opens a new session. */
export async function newSession(app) {
  await app.find('html[data-app-state="ready"]');
  await app.press('sidebar-new');
  await app.get('composer', { state: 'idle' });
}

/** Writes a message and sends it. */
export async function say(app, text) {
  const input = await app.get('composer-input');
  await input.click();
  await input.addValue(text);
  await app.chord(Key.Enter);
}

/** The open question of this kind, once it can be answered. */
export function question(app, kind) {
  return app.get('confirm-card', { kind, state: 'ready' });
}

/** Types `text` at the end of line `line` (from 1) of the proposed side, as hands do. */
export async function typeIntoDiff(app, card, line, text) {
  await enterDiff(app, card);
  await app.chord(Key.Ctrl, Key.Home);
  for (let i = 1; i < line; i += 1) await app.chord(Key.ArrowDown);
  await app.chord(Key.End);
  await app.type(text);
}

/** Goes to the first change of a proposal and adds a line below it, as hands do. */
export async function typeBelowFirstChange(app, card, text) {
  await enterDiff(app, card);
  await app.chord(Key.Ctrl, Key.Home);
  await app.press('diff-next', {}, card);
  await app.chord(Key.End);
  await app.chord(Key.Enter);
  await app.type(text);
}

/** The numbers of a statistic, once they are those of the text on screen. */
export async function statistic(app, card, who) {
  const stat = await app.get('diffstat', { state: 'fresh' }, card);
  const part = await app.get(`diffstat-${who}`, {}, stat);
  const [added, removed] = await Promise.all(['data-added', 'data-removed'].map((name) => part.getAttribute(name)));
  return { added: Number(added), removed: Number(removed) };
}

/** The tool card of a call, once it is in this state. */
export function toolCard(app, callId, state) {
  return app.get('tool-card', { key: callId, state });
}

/** Waits until the turn has ended. */
export function turnEnded(app) {
  return app.get('composer', { state: 'idle' });
}

/** Goes into the field of a diff in which one can type: of two columns the right one. */
export async function enterDiff(app, within) {
  const editor = sel('diff-editor', { editable: true, state: 'ready' });
  const field = await app.find(`${editor} [contenteditable="true"]`, within);
  // A press on its middle could meet a button between the lines.
  await app.browser.execute((element) => element.focus(), field);
}

/** Opens a proposal in the whole main region, in one of the two layouts. */
export async function review(app, card, mode) {
  await app.press('confirm-expand', {}, card);
  const pane = await app.get('review-pane');
  const choice = await app.find(`${sel('review-mode')} [data-value="${mode}"]`, pane);
  await choice.click();
  await app.get('diff-editor', { mode, state: 'ready' }, pane);
  return pane;
}
