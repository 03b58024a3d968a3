import { FakeBackend, type FakeSession } from '@/backend/fake';
import type { Ask, Snapshot } from '@/bindings';
import { diffStat } from '@/lib/diff';
import {
  appInfo,
  ask,
  assistantItem,
  editAsk,
  execAsk,
  fileDiff,
  item,
  settings,
  shell,
  snapshot,
  summary,
  toolItem,
  userItem,
} from './builders';
import { demoChanges } from './changes';
import {
  ANSWER,
  BIG_BASE,
  BIG_PROPOSAL,
  BIG_REWRITE,
  PARSER_BASE,
  PARSER_PROPOSAL,
  TERMINAL_OUTPUT,
} from './texts';

/** Time between two pieces of streamed text. */
const PIECE_MS = 30;

const NET = {
  ai_added: 340,
  human_added: 25,
  ai_removed: 120,
  human_removed: 18,
  ai_added_undone: 3,
  ai_removed_undone: 1,
};

/** A window full of everything, chosen by the query: `?fake=edit&theme=light&lang=zh-CN`. */
export function demoBackend(query: URLSearchParams): FakeBackend {
  const scene = query.get('fake') ?? 'edit';
  const backend = new FakeBackend(
    appInfo(),
    settings({
      theme: query.get('theme') === 'light' ? 'light' : 'dark',
      language: query.get('lang') === 'zh-CN' ? 'zh-CN' : 'en',
      diff_colors: query.get('colors') === 'blind' ? 'color_blind' : 'standard',
      ui_scale: Number(query.get('scale') ?? 100),
      first_run_done: scene !== 'first',
    }),
  );
  backend.changes = demoChanges();
  const session = backend.addSession(sceneSnapshot(scene));
  otherSessions(backend);
  const bytes = new TextEncoder().encode(TERMINAL_OUTPUT);
  backend.terminals.set('sh1', {
    snapshot: {
      shell: shell(),
      offset: bytes.length,
      cols: 100,
      rows: 12,
      screen_base64: btoa(String.fromCharCode(...bytes)),
    },
    views: new Set(),
    acked: 0,
  });
  backend.on('decide', ({ call_id: callId, decision }) => {
    const verdict = decision.kind === 'deny' ? 'denied' : decision.kind === 'modify' ? 'edited' : 'allowed';
    session.emit({
      type: 'ask_closed',
      call_id: callId,
      resolution: { verdict, scope: 'once', rules: [], words: null },
    });
    return {};
  });
  backend.on('send', ({ text }) => {
    answer(session, text);
    return {};
  });
  if (scene === 'stream') answer(session, 'Explain the change');
  return backend;
}

function sceneSnapshot(scene: string): Snapshot {
  const asking: Record<string, Ask[]> = {
    edit: [editAsk('c7', PARSER_BASE, PARSER_PROPOSAL), execAsk('c8', 'cargo test -p parser')],
    exec: [
      execAsk(
        'c8',
        'cargo test -p parser \\\n    && git commit -am "fix: eof" \\\n    && git push origin HEAD # \u202e gpj\t ',
        {
          warnings: [
            { code: 'PUSH', args: [] },
            { code: 'MANY_PARTS', args: ['3'] },
          ],
        },
      ),
    ],
    big: [editAsk('c7', BIG_BASE, BIG_PROPOSAL)],
    rewrite: [editAsk('c7', BIG_BASE, BIG_REWRITE)],
    notebook: [notebookAsk()],
    question: [questionAsk()],
    stale: [editAsk('c7', PARSER_BASE, PARSER_PROPOSAL, { state: 'stale' })],
    write: [
      ask('c9', {
        kind: 'write',
        diff: fileDiff('', 'fn main() {\n    println!("new");\n}\n', {
          is_new: true,
          display_path: 'src/bin/try.rs',
        }),
        unseen_lines: 0,
      }),
    ],
  };
  const asks = asking[scene] ?? [];
  const busy = asks.length > 0 || scene === 'terminal';
  return snapshot({
    summary: summary({ state: asks.length > 0 ? 'waiting' : busy ? 'running' : 'idle', net: NET }),
    phase: busy ? 'calls' : 'idle',
    has_older: true,
    items: sceneItems(scene),
    asks,
    todos: [
      { id: '1', content: 'Read lexer and parser', status: 'completed' },
      { id: '2', content: 'Fix end-of-input branch', status: 'in_progress' },
      { id: '3', content: 'Run tests', status: 'pending' },
      { id: '4', content: 'Update changelog', status: 'pending' },
    ],
    todos_updated_at: Date.now() - 12_000,
    queue:
      scene === 'terminal'
        ? [{ id: 1, text: 'Then update the changelog too', images: [], delivery: 'after' }]
        : [],
    shells: [
      shell({
        state: scene === 'terminal' ? 'running' : 'completed',
        exit_code: scene === 'terminal' ? null : 0,
        ended_at: scene === 'terminal' ? null : Date.now(),
      }),
    ],
    meters: {
      tok_in: 120_000,
      tok_out: 9_100,
      tok_cache_read: 94_000,
      tok_cache_write: 0,
      cost_micros: 420_000,
      context_used: 82_000,
      context_window: 200_000,
      context_auto: 170_000,
    },
  });
}

function sceneItems(scene: string) {
  const edited = PARSER_PROPOSAL.replace('    self.flush();\n', '    self.flush();\n    self.log();\n');
  const diff = fileDiff(PARSER_BASE, edited, {
    changed_by_user: true,
    unified_diff:
      '--- a\n+++ b\n@@ -40,4 +40,4 @@\n     match self.peek() {\n-        None => panic!("eof"),\n+        None => return Ok(Node::End),\n         Some(t) => self.rest(t),\n     }\n',
  });
  const items = [
    userItem(1, 'The parser panics at end of input. Fix it and run the tests.'),
    assistantItem(
      2,
      1,
      scene === 'terminal' ? 'I will read the lexer first, then change the end-of-input branch.' : ANSWER,
    ),
    toolItem(3, {
      display: { kind: 'file_read', path: 'src/lexer.rs', first_line: 1, last_line: 220, total_lines: 220 },
    }),
    toolItem(4, {
      name: 'grep_search',
      tool_kind: 'search',
      subject: '"peek()"',
      ms: 31,
      display: {
        kind: 'matches',
        summary: '6 matches in 3 files',
        hits: [{ path: 'src/parser.rs', line: 41, text: 'match self.peek() {' }],
        incomplete: false,
      },
    }),
    toolItem(6, {
      name: 'edit',
      tool_kind: 'edit',
      subject: 'src/parser.rs',
      ms: 48,
      stat: diffStat(PARSER_BASE, PARSER_PROPOSAL, edited),
      resolution: { verdict: 'edited', scope: 'once', rules: [], words: null },
      edit: { state: 'landed', by: null },
      display: { kind: 'file_diff', diff },
    }),
    toolItem(5, {
      call_id: 'c5',
      name: 'run_shell_command',
      tool_kind: 'execute',
      subject: 'cargo test -p parser',
      state: scene === 'terminal' ? 'running' : 'done',
      status: scene === 'terminal' ? null : 'ok',
      ms: scene === 'terminal' ? null : 2_140,
      shell_id: 'sh1',
      display:
        scene === 'terminal'
          ? null
          : {
              kind: 'terminal',
              shell_id: 'sh1',
              command: 'cargo test -p parser',
              cwd: './',
              exit_code: 0,
              signal: null,
              tail: 'running 41 tests\ntest lexer::eof ... ok\ntest result: ok. 41 passed',
              lines: 44,
            },
    }),
  ].map((row, at) => ({ ...row, seq: at + 1 }));
  if (scene === 'notice') {
    items.push(item(20, { kind: 'notice', code: 'error', text: 'HTTP 429', args: ['rate_limit'] }));
  }
  return items;
}

function notebookAsk(): Ask {
  const source = 'total = 0\nfor n in range(5):\n    total += n\nprint(total)\n';
  const diff = fileDiff(source, 'total = sum(range(5))\nprint(f"{total} \u00a0 ")', {
    display_path: 'numbers.ipynb',
    file_path: '/home/me/my-repo/numbers.ipynb',
    layer: 'notebook',
    notebook: {
      mode: 'replace',
      number: 3,
      n_cells: 8,
      id: 'ab12cd34',
      cell_type: 'code',
      raw_diff:
        '@@ -20,4 +20,3 @@\n    "source": [\n-    "total = 0\\n",\n-    "for n in range(5):\\n",\n+    "total = sum(range(5))\\n",\n     "print(total)"\n',
    },
  });
  return ask('c9', { kind: 'edit', diff }, { tool: 'notebook_edit' });
}

function questionAsk(): Ask {
  return ask('c9', {
    kind: 'questions',
    questions: [
      {
        question: 'Which error type should end-of-input return?',
        header: 'Error type',
        options: [
          { label: 'Node::End (recommended)', description: 'The caller already handles it.' },
          { label: 'Err(ParseError::Eof)', description: 'Louder, but every caller must change.' },
        ],
        multi_select: false,
      },
      {
        question: 'Which tests shall run?',
        header: 'Tests',
        options: [
          { label: 'parser', description: '' },
          { label: 'lexer', description: '' },
        ],
        multi_select: true,
      },
    ],
  });
}

function otherSessions(backend: FakeBackend): void {
  const day = 86_400_000;
  const rows = [
    summary({
      session_id: 's2',
      title: 'Add retry to fetch',
      state: 'running',
      updated_at: Date.now() - 120_000,
    }),
    summary({
      session_id: 's3',
      title: 'Refactor config loader',
      updated_at: Date.now() - day,
      net: { ...NET, ai_added: 210, human_added: 12 },
    }),
    summary({
      session_id: 's4',
      title: 'Why is CI red?',
      updated_at: Date.now() - day,
      state: 'error',
      last_outcome: 'cancelled',
    }),
    summary({ session_id: 's5', title: 'Old notes', updated_at: Date.now() - 40 * day, archived: true }),
    summary({
      session_id: 's6',
      title: 'Landing page',
      workspace: '/home/me/site',
      updated_at: Date.now() - 2 * day,
    }),
  ];
  for (const row of rows) backend.addSession(snapshot({ summary: row }));
}

/** Plays a turn with a streamed answer. */
function answer(session: FakeSession, text: string): void {
  const seq = (session.snapshot.items.at(-1)?.seq ?? 0) + 1;
  const request = seq;
  session.emit(
    { type: 'item_added', item: userItem(seq, text) },
    { type: 'phase', phase: 'streaming', request, step: 1, attempt: 1, last_byte_at: Date.now() },
    { type: 'block_started', request, block: 0, kind: 'text' },
  );
  const pieces = ANSWER.repeat(3).match(/[\s\S]{1,12}/g) ?? [];
  let at = 0;
  const timer = window.setInterval(() => {
    const delta = pieces[at++];
    if (delta !== undefined) {
      session.emit({ type: 'block_delta', request, block: 0, delta });
      return;
    }
    window.clearInterval(timer);
    session.emit(
      { type: 'item_added', item: assistantItem(seq + 1, request, ANSWER.repeat(3)) },
      { type: 'phase', phase: 'idle', request, step: 1, attempt: 1, last_byte_at: null },
      { type: 'turn_ended', outcome: 'completed', message: null },
    );
  }, PIECE_MS);
}
