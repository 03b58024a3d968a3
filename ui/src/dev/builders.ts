import type {
  AppInfo,
  Ask,
  FileDiff,
  Item,
  ItemBody,
  Preview,
  SessionSummary,
  Settings,
  ShellInfo,
  Snapshot,
} from '@/bindings';
import { diffStat } from '@/lib/diff';
import type { ToolItem } from '@/lib/toolItem';

/** Whole values of the contract with sensible contents, to be changed in the part that matters. */

export const WORKSPACE = '/home/me/my-repo';

export function appInfo(change: Partial<AppInfo> = {}): AppInfo {
  return {
    version: '0.1.0',
    run: 'run-1',
    platform: 'linux',
    system_language: 'en',
    workspace: { path: WORKSPACE, name: 'my-repo', branch: 'main' },
    store_notice: null,
    store: 'ok',
    providers: [
      {
        entry: {
          id: 'demo',
          kind: 'demo',
          base_url: '',
          model: 'demo',
          key_env: null,
          context_window: 200_000,
          vision: null,
        },
        has_key: false,
      },
      {
        entry: {
          id: 'openai-chat',
          kind: 'openai_chat',
          base_url: 'http://127.0.0.1:8080/v1',
          model: 'qwen3-coder',
          key_env: 'OPENAI_API_KEY',
          context_window: 200_000,
          vision: null,
        },
        has_key: true,
      },
    ],
    data_dir: '/home/me/.local/share/benchdog',
    ...change,
  };
}

export function settings(change: Partial<Settings> = {}): Settings {
  return {
    language: 'en',
    theme: 'dark',
    diff_colors: 'standard',
    enter_sends: true,
    ui_scale: 100,
    providers: [],
    provider: 'demo',
    max_steps: 50,
    edit_profile: 'safe',
    apply_patch: false,
    editor: '',
    shell_on_timeout: 'auto',
    ask_before_quit: true,
    kill_leftovers_on_quit: true,
    sandbox: 'off',
    sandbox_network: false,
    sandbox_required: false,
    first_run_done: true,
    recent_workspaces: [WORKSPACE],
    ...change,
  };
}

export function summary(change: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: 's1',
    title: 'Fix parser EOF bug',
    workspace: WORKSPACE,
    created_at: Date.now() - 600_000,
    updated_at: Date.now() - 60_000,
    archived: false,
    item_count: 14,
    state: 'idle',
    last_outcome: 'completed',
    net: {
      ai_added: 0,
      human_added: 0,
      ai_removed: 0,
      human_removed: 0,
      ai_added_undone: 0,
      ai_removed_undone: 0,
    },
    origin: { provider: 'openai-chat', model: 'qwen3-coder' },
    mode: 'default',
    ...change,
  };
}

export function snapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    run: 'run-1',
    rev: 10,
    summary: summary(),
    phase: 'idle',
    items: [],
    has_older: false,
    activity: [],
    live_request: null,
    live: [],
    asks: [],
    todos: [],
    todos_updated_at: null,
    queue: [],
    shells: [],
    meters: {
      tok_in: 0,
      tok_out: 0,
      tok_cache_read: 0,
      tok_cache_write: 0,
      cost_micros: null,
      context_used: 0,
      context_window: null,
      context_auto: null,
    },
    drafts: [],
    store: 'ok',
    read_only: null,
    ...change,
  };
}

export function item(seq: number, body: ItemBody, change: Partial<Item> = {}): Item {
  return { seq, turn: 1, step: 1, ts: 1_790_000_000_000 + seq * 1_000, excluded: false, body, ...change };
}

export function userItem(seq: number, text: string): Item {
  return item(seq, { kind: 'user', text, images: [], reminders: [], steer: false }, { step: 0 });
}

export function assistantItem(seq: number, request: number, text: string): Item {
  return item(seq, {
    kind: 'assistant',
    request,
    blocks: [{ kind: 'text', text, meta: null }],
    stop: 'end_turn',
    usage: {
      input: 8_200,
      output: 140,
      cache_read: null,
      cache_write: null,
      reasoning: null,
      web_search_requests: null,
    },
    origin: { provider: 'openai-chat', model: 'qwen3-coder' },
  });
}

export function toolItem(seq: number, change: Partial<ToolItem> = {}): Item {
  return item(seq, {
    kind: 'tool',
    call_id: `c${seq}`,
    name: 'read_file',
    tool_kind: 'read',
    subject: 'src/lexer.rs',
    args: { file_path: `${WORKSPACE}/src/lexer.rs` },
    state: 'done',
    status: 'ok',
    ms: 12,
    shell_id: null,
    resolution: null,
    stat: null,
    edit: null,
    failure: null,
    display: null,
    result_text: null,
    result_chars: 0,
    ...change,
  });
}

export function fileDiff(base: string, proposal: string, change: Partial<FileDiff> = {}): FileDiff {
  return {
    file_path: `${WORKSPACE}/src/parser.rs`,
    display_path: 'src/parser.rs',
    is_new: false,
    unified_diff: '',
    base_text: base,
    new_text: proposal,
    stat: diffStat(base, proposal, proposal),
    layer: 'L1',
    encoding: 'utf-8',
    encoding_guessed: false,
    bom: false,
    eol: 'lf',
    warnings: [],
    changed_by_user: false,
    notebook: null,
    ...change,
  };
}

export function ask(callId: string, preview: Preview, change: Partial<Ask> = {}): Ask {
  return {
    call_id: callId,
    proposal_id: `p-${callId}`,
    tool: preview.kind === 'exec' ? 'run_shell_command' : preview.kind,
    preview,
    scopes: preview.kind === 'questions' ? [] : [{ scope: 'session', rules: [] }],
    warnings: [],
    confirm_reasons: [],
    modifiable: preview.kind === 'edit' || preview.kind === 'write',
    state: 'open',
    ...change,
  };
}

export function editAsk(callId: string, base: string, proposal: string, change: Partial<Ask> = {}): Ask {
  return ask(callId, { kind: 'edit', diff: fileDiff(base, proposal) }, { tool: 'edit', ...change });
}

export function execAsk(callId: string, command: string, change: Partial<Ask> = {}): Ask {
  const preview: Preview = {
    kind: 'exec',
    command,
    cwd: WORKSPACE,
    display_cwd: './',
    description: null,
    timeout_ms: 120_000,
    background: false,
    sandbox: null,
  };
  return ask(callId, preview, {
    scopes: [{ scope: 'session', rules: [`Shell(${command.split(' ')[0] ?? ''} *)`] }],
    ...change,
  });
}

export function shell(change: Partial<ShellInfo> = {}): ShellInfo {
  return {
    shell_id: 'sh1',
    session_id: 's1',
    call_id: 'c5',
    command: 'cargo test -p parser',
    cwd: WORKSPACE,
    pid: 4121,
    started_at: Date.now() - 14_000,
    ended_at: null,
    state: 'running',
    exit_code: null,
    signal: null,
    bytes: 0,
    waiting: false,
    echo_off: false,
    input_owner: 'none',
    timeout_ms: 120_000,
    background: false,
    last_output_at: Date.now() - 1_000,
    children: 0,
    leftovers: 0,
    left: [],
    notify_me: false,
    tell_agent: true,
    ...change,
  };
}
