// What a person does with commands and their terminals.

import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Key } from 'webdriverio';
import { question } from './acts.mjs';
import { sel } from './app.mjs';
import { pressClose } from './display.mjs';
import { isAlive } from './processes.mjs';
import { poll } from './wait.mjs';

const reports = fileURLToPath(new URL('../../fixtures/cases/reports/', import.meta.url));

/** More lines than any screen of a test has. */
const ALL_LINES = 20_000;

/** The steps of a case from a public report. */
export function caseOf(id) {
  return JSON.parse(readFileSync(caseFile(id, 'case.json'), 'utf8'));
}

/** A file of a case. */
export function caseFile(id, name) {
  return path.join(reports, id, name);
}

/** Copies the workspace of a case into a folder; some have none. */
export function copyCase(id, folder) {
  const workspace = caseFile(id, 'input/ws');
  if (existsSync(workspace)) cpSync(workspace, folder, { recursive: true });
}

/** An entry of a model's script: it runs these commands. */
export function runs(...commands) {
  const args = commands.map((command) => (typeof command === 'string' ? { command } : command));
  return { calls: args.map((one) => ({ tool: 'run_shell_command', args: one })) };
}

/** Allows so many commands, one after the other, as they are asked for. */
export async function allow(app, count = 1) {
  for (let at = 0; at < count; at += 1) {
    const card = await question(app, 'exec');
    const key = await card.getAttribute('data-key');
    await app.press('confirm-allow-once', {}, card);
    await poll('the question to be gone', () =>
      app.browser.execute((selector) => document.querySelector(selector) === null, sel('confirm-card', { key })),
    );
  }
}

/** The terminal on screen, and its shell's id. */
export async function terminal(app, attributes = { state: 'live' }) {
  const view = await app.get('pty-view', attributes);
  return { view, id: await view.getAttribute('data-key') };
}

/** What a terminal shows, scrolled lines included. */
export function screenText(app, id) {
  return app.hook('terminalText', id, 0, ALL_LINES);
}

/** Waits until a terminal shows this. */
export function shows(app, id, expected) {
  return poll(`the terminal to show ${expected}`, async () => {
    const text = (await screenText(app, id)) ?? '';
    return (typeof expected === 'string' ? text.includes(expected) : expected.test(text)) ? text : null;
  });
}

/** Takes the keys of the terminal on screen. */
export async function takeInput(app) {
  await app.press('pty-take-input');
  await app.get('pty-input-banner', { owner: 'human' });
}

/** Types a line into whatever has the focus. */
export async function typeLine(app, text) {
  await app.type(text);
  await app.chord(Key.Enter);
}

/** Opens the list of commands. */
export async function openShells(app) {
  const tab = await app.browser.$(sel('rightpanel-tab-shells'));
  if (!(await tab.isExisting())) await app.press('app-panel-toggle');
  await app.press('rightpanel-tab-shells');
  await app.get('shells-panel');
}

/** The row of a command whose text contains `words`, as it is now. */
export function rowWith(app, words) {
  return poll(`a row with ${words}`, () =>
    app.browser.execute((part) => {
      const rows = [...document.querySelectorAll('[data-testid="shell-row"]')];
      const row = rows.find((one) => one.querySelector('[data-testid="shell-command"]')?.textContent.includes(part));
      return row
        ? { key: row.dataset.key, state: row.dataset.state, value: row.dataset.value, pid: Number(row.dataset.pid), text: row.innerText }
        : null;
    }, words),
  );
}

/** The row of a command, once it is in this state. */
export function rowIn(app, words, state) {
  return poll(`${words} to be ${state}`, async () => {
    const row = await rowWith(app, words);
    return row.state === state ? row : null;
  });
}

/** Closes the window although commands run. It is gone before the driver can say that the button was pressed. */
export async function closeAnyway(app) {
  await pressClose(app.display);
  const confirm = await app.get('quit-confirm');
  await confirm.click().catch(() => undefined);
  await poll('the program to end', () => !isAlive(app.pid));
}
