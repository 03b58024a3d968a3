import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Key } from "webdriverio";
import {
  newSession,
  question,
  review,
  say,
  statistic,
  toolCard,
  turnEnded,
  typeIntoDiff,
  writeSettings,
} from "../lib/acts.mjs";
import { sel } from "../lib/app.mjs";
import { lastOf } from "../lib/model-server.mjs";
import { useScene } from "../lib/scene.mjs";
import { poll } from "../lib/wait.mjs";

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
const BEFORE = `${LINES.join("\n")}\n`;
const PROPOSED = BEFORE.replace("line 5\n", "line five\n").replace(
  "line 20\n",
  "line twenty\n",
);

describe("a review", () => {
  const scene = useScene();

  /** A session in which the model read a file and now wants to write it anew. */
  async function begin({
    before = BEFORE,
    proposed = PROPOSED,
    name = "list.txt",
    more = {},
    ...rest
  } = {}) {
    const workspace = scene.folder("project");
    const file = path.join(workspace, name);
    writeFileSync(file, before);
    const calls = rest.calls ?? [
      { tool: "write_file", args: { file_path: file, content: proposed } },
    ];
    const model = await scene.model([
      { calls: [{ tool: "read_file", args: { file_path: file } }] },
      {
        text: "I would change this.",
        calls: typeof calls === "function" ? calls(file) : calls,
      },
      { text: "Done." },
    ]);
    writeSettings(scene.home.path, { model, workspace, ...more });
    const app = await scene.launch();
    await newSession(app);
    await say(app, "Spell the numbers");
    return { app, model, file };
  }

  for (const mode of ["unified", "split"]) {
    it(`is edited by hand: ${mode}`, async () => {
      const theme = mode === "split" ? "light" : "dark";
      const { app, file } = await begin({ more: { theme } });
      const pane = await review(app, await question(app, "write"), mode);
      await typeIntoDiff(app, pane, 1, " mine");
      await app.get("confirm-card", { dirty: true });
      assert.deepEqual(await statistic(app, pane, "human"), {
        added: 1,
        removed: 1,
      });
      assert.deepEqual(await statistic(app, pane, "ai"), {
        added: 2,
        removed: 2,
      });
      await app.snapshot(`review-${mode}-${theme}`);
      await app.press("confirm-allow-once", {}, pane);
      await turnEnded(app);
      assert.equal(
        readFileSync(file, "utf8"),
        PROPOSED.replace("line 1\n", "line 1 mine\n"),
      );
      await app.quit();
    });
  }

  it("gives changes back and brings them again by keyboard", async () => {
    const { app, file } = await begin();
    const card = await question(app, "write");
    const callId = await card.getAttribute("data-key");
    const pane = await review(app, card, "unified");
    const text = () => app.hook("editorText", callId, "after");
    await typeIntoDiff(app, pane, 1, "");
    await app.chord(Key.F8);
    await app.chord(Key.Tab);
    await app.get("diff-hunk", { active: true, key: 0 }, pane);
    await app.chord("o");
    assert.equal(
      await text(),
      PROPOSED.replace("line five", "line 5"),
      "the first change is gone",
    );
    await app.chord(Key.Ctrl, "z");
    assert.equal(
      await text(),
      PROPOSED,
      "an ordinary change, so it can be undone",
    );
    await app.chord(Key.F8);
    await app.chord(Key.End);
    await app.type("!");
    await app.get("diff-hunk", { active: true, value: "human" }, pane);
    await app.chord(Key.Tab);
    await app.chord("a");
    assert.equal(await text(), PROPOSED, "the text of the AI is back");
    await app.get("confirm-card", { dirty: false });
    await app.press("confirm-allow-once", {}, pane);
    await turnEnded(app);
    assert.equal(readFileSync(file, "utf8"), PROPOSED);
    await app.quit();
  });

  it("is stale once the file changes, keeps the text, and lets the agent read again", async () => {
    const { app, model, file } = await begin();
    const card = await question(app, "write");
    await typeIntoDiff(app, card, 1, " mine");
    const theirs = BEFORE.replace("line 30", "changed elsewhere");
    writeFileSync(file, theirs);
    const stale = await app.get("confirm-card", { state: "stale" });
    const allow = await app.get("confirm-allow-once", {}, stale);
    assert.equal(
      await allow.isEnabled(),
      false,
      "what would be overwritten was never shown",
    );
    const callId = await stale.getAttribute("data-key");
    await app.get("diff-editor", { editable: false, state: "ready" }, stale);
    assert.match(
      await app.hook("editorText", callId, "after"),
      /line 1 mine/,
      "the text of the person stays",
    );
    await app.snapshot("review-stale");
    // For a moment after the change the card takes no press.
    const close = await app.find(
      `${sel("confirm-stale-close")}[aria-disabled="false"]`,
      stale,
    );
    await close.click();
    await turnEnded(app);
    assert.equal(readFileSync(file, "utf8"), theirs);
    assert.match(
      JSON.stringify(lastOf(await model.request(2), "tool")),
      /FILE_CHANGED_SINCE_READ|changed/,
    );
    await app.quit();
  });

  it("shows the cell of a notebook", async () => {
    const notebook = {
      cells: [
        {
          cell_type: "markdown",
          id: "intro",
          metadata: {},
          source: ["# Numbers\n"],
        },
        {
          cell_type: "code",
          id: "sum",
          execution_count: 1,
          metadata: {},
          outputs: [],
          source: ["total = 0\n", "print(total)"],
        },
      ],
      metadata: {
        kernelspec: {
          name: "python3",
          display_name: "Python 3",
          language: "python",
        },
      },
      nbformat: 4,
      nbformat_minor: 5,
    };
    const { app, file } = await begin({
      name: "numbers.ipynb",
      before: `${JSON.stringify(notebook, null, 1)}\n`,
      calls: (file_) => [
        {
          tool: "notebook_edit",
          args: {
            notebook_path: file_,
            cell_id: "sum",
            new_source: "total = sum(range(5))\nprint(total)",
          },
        },
      ],
    });
    const card = await question(app, "notebook_edit");
    const cell = await app.get(
      "notebook-cell",
      { kind: "replace", value: 2, count: 2 },
      card,
    );
    assert.ok(await cell.isDisplayed());
    await typeIntoDiff(app, card, 2, "  # mine");
    await app.snapshot("notebook-card");
    const raw = await app.find(
      '[data-testid="notebook-view"] [data-value="raw"]',
      card,
    );
    await raw.click();
    await app.get("diff-editor", { editable: false }, card);
    await app.snapshot("notebook-card-raw");
    await app.press("confirm-allow-once", {}, card);
    await turnEnded(app);
    const written = JSON.parse(readFileSync(file, "utf8"));
    assert.equal(
      [written.cells[1].source].flat().join(""),
      "total = sum(range(5))\nprint(total)  # mine",
    );
    await app.quit();
  });

  it("is edited in an editor of the person’s own", async () => {
    const folder = scene.folder("editor");
    // An editor as many are: it saves under another name and renames.
    const editor = path.join(folder, "my editor");
    writeFileSync(
      editor,
      '#!/bin/sh\nsed "s/$1/& saved outside/" "$2" > "$2.new" && mv "$2.new" "$2"\n',
      { mode: 0o755 },
    );
    const { app, file } = await begin({
      calls: (file_) => [
        {
          tool: "edit",
          args: {
            file_path: file_,
            old_string: "line 2\n",
            new_string: "line two\n",
          },
        },
      ],
      more: { editor: `'${editor}' 'line two'` },
    });
    const card = await question(app, "edit");
    await app.press("confirm-external", {}, card);
    await app.get("confirm-external-note", { state: "text" }, card);
    await app.get("confirm-card", { dirty: true });
    await app.snapshot("edited-outside");
    assert.doesNotMatch(
      readFileSync(file, "utf8"),
      /two/,
      "saving there writes nothing",
    );
    await app.press("confirm-allow-once", {}, card);
    await turnEnded(app);
    assert.match(readFileSync(file, "utf8"), /^line two saved outside$/m);
    const copies = path.join(scene.home.path, "editing");
    await poll(
      "the copy to go",
      () => !existsSync(copies) || readdirSync(copies).length === 0,
    );
    await app.quit();
  });

  it("shows why a change was refused before anybody was asked", async () => {
    const { app } = await begin({
      calls: (file) => [
        {
          tool: "edit",
          args: { file_path: file, old_string: "line 55", new_string: "x" },
        },
      ],
    });
    const card = await toolCard(app, "call_1_0", "error");
    await app.press("tool-toggle", {}, card);
    const error = await app.get("tool-error", {}, card);
    assert.notEqual(await error.getText(), "");
    await turnEnded(app);
    await app.snapshot("refusal");
    await app.quit();
  });
});
