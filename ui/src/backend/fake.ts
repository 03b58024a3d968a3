import type {
  ApiError,
  AppInfo,
  Commands,
  Envelope,
  SessionEvent,
  SessionId,
  SessionSummary,
  Settings,
  ShellId,
  ShellInfo,
  Snapshot,
  TerminalSnapshot,
} from '@/bindings';
import { changeHandlers, noChanges, type FakeChanges } from './fakeChanges';
import { applyToSnapshot } from './fakeSnapshot';
import {
  BackendError,
  type AppEvent,
  type Backend,
  type RequestOf,
  type ResponseOf,
  type TerminalHandlers,
  type TerminalLink,
  type Unsubscribe,
} from './types';

type Handler<K extends keyof Commands> = (request: RequestOf<K>) => ResponseOf<K> | Promise<ResponseOf<K>>;

/** One command that was sent, for tests to look at. */
export interface SentCommand {
  name: keyof Commands;
  request: unknown;
}

/** A session of the fake: its snapshot, kept true by the events it sends. */
export class FakeSession {
  snapshot: Snapshot;
  private listeners = new Set<(batch: readonly Envelope[]) => void>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
  }

  /** Sends events, each with the next number. */
  emit(...events: SessionEvent[]): void {
    const batch = events.map((event): Envelope => {
      const [rev, ts] = [this.snapshot.rev + 1, Date.now()];
      this.snapshot = { ...applyToSnapshot(this.snapshot, event, ts), rev };
      return { v: 1, session_id: this.snapshot.summary.session_id, rev, seq: null, ts, event };
    });
    this.deliver(batch);
  }

  /** Lets an event be lost on its way: its number is missing afterwards. */
  lose(event: SessionEvent): void {
    this.snapshot = { ...applyToSnapshot(this.snapshot, event, Date.now()), rev: this.snapshot.rev + 1 };
  }

  deliver(batch: readonly Envelope[]): void {
    for (const listener of this.listeners) listener(batch);
  }

  listen(listener: (batch: readonly Envelope[]) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The world for tests: commands answer from memory, and every one of them is written down. */
export class FakeBackend implements Backend {
  readonly sent: SentCommand[] = [];
  readonly titles: string[] = [];
  /** What the window was told about being closed, in order. */
  readonly closing: ('shown' | 'kept' | 'quit')[] = [];
  readonly sessions = new Map<SessionId, FakeSession>();
  readonly terminals = new Map<
    ShellId,
    { snapshot: TerminalSnapshot; views: Set<TerminalHandlers>; acked: number }
  >();
  info: AppInfo;
  settings: Settings;
  /** What happened to files. */
  changes: FakeChanges = noChanges();
  /** The output of every command. */
  log = '';
  /** What the folder dialog answers. */
  folder: string | null = null;
  private readonly handlers = new Map<keyof Commands, (request: never) => unknown>();
  private readonly appListeners = new Set<(event: AppEvent) => void>();

  constructor(info: AppInfo, settings: Settings) {
    this.info = info;
    this.settings = settings;
    this.answerFromMemory();
    this.answerChanges();
  }

  /** Answers a command in a way of its own. */
  on<K extends keyof Commands>(name: K, handler: Handler<K>): void {
    this.handlers.set(name, handler);
  }

  /** The next call of this command is refused. */
  refuseOnce(name: keyof Commands, error: ApiError): void {
    const before = this.handlers.get(name);
    this.handlers.set(name, () => {
      if (before) this.handlers.set(name, before);
      throw new BackendError(error);
    });
  }

  addSession(snapshot: Snapshot): FakeSession {
    const session = new FakeSession(snapshot);
    this.sessions.set(snapshot.summary.session_id, session);
    return session;
  }

  /** Commands of one name, in order. */
  requests<K extends keyof Commands>(name: K): RequestOf<K>[] {
    return this.sent.filter((sent) => sent.name === name).map((sent) => sent.request as RequestOf<K>);
  }

  tellApp(event: AppEvent): void {
    for (const listener of this.appListeners) listener(event);
  }

  async call<K extends keyof Commands>(name: K, request: RequestOf<K>): Promise<ResponseOf<K>> {
    this.sent.push({ name, request });
    const handler = this.handlers.get(name) as Handler<K> | undefined;
    await Promise.resolve();
    return handler ? handler(request) : {};
  }

  subscribe(sessionId: SessionId, onEnvelopes: (batch: readonly Envelope[]) => void): Promise<Unsubscribe> {
    return Promise.resolve(this.session(sessionId).listen(onEnvelopes));
  }

  onApp(handler: (event: AppEvent) => void): Promise<Unsubscribe> {
    this.appListeners.add(handler);
    return Promise.resolve(() => this.appListeners.delete(handler));
  }

  attachTerminal(shellId: ShellId, handlers: TerminalHandlers): Promise<TerminalLink> {
    const terminal = this.terminals.get(shellId);
    if (!terminal)
      return Promise.reject(new BackendError({ code: 'NOT_FOUND', message: 'no such shell', args: [] }));
    terminal.views.add(handlers);
    handlers.snapshot(terminal.snapshot);
    return Promise.resolve({
      ack: (offset: number) => {
        terminal.acked = Math.max(terminal.acked, offset);
      },
      detach: () => {
        terminal.views.delete(handlers);
      },
    });
  }

  pickFolder(): Promise<string | null> {
    return Promise.resolve(this.folder);
  }

  setTitle(title: string): Promise<void> {
    this.titles.push(title);
    return Promise.resolve();
  }

  closingShown(): Promise<void> {
    return this.tellClosing('shown');
  }

  keepOpen(): Promise<void> {
    return this.tellClosing('kept');
  }

  quit(): Promise<void> {
    return this.tellClosing('quit');
  }

  private tellClosing(what: 'shown' | 'kept' | 'quit'): Promise<void> {
    this.closing.push(what);
    return Promise.resolve();
  }

  private create(workspace: string): SessionSummary {
    const [first] = this.sessions.values();
    if (!first) throw new BackendError({ code: 'INTERNAL', message: 'no session to copy', args: [] });
    const summary = {
      ...first.snapshot.summary,
      session_id: `new-${this.sessions.size}`,
      title: '',
      workspace,
      item_count: 0,
      last_outcome: null,
    };
    this.addSession({
      ...first.snapshot,
      rev: 0,
      summary,
      phase: 'idle',
      items: [],
      asks: [],
      todos: [],
      queue: [],
    });
    return summary;
  }

  private session(sessionId: SessionId): FakeSession {
    const session = this.sessions.get(sessionId);
    if (!session) throw new BackendError({ code: 'SESSION_NOT_FOUND', message: 'no such session', args: [] });
    return session;
  }

  private summaries(): SessionSummary[] {
    return [...this.sessions.values()].map((session) => session.snapshot.summary);
  }

  private answerFromMemory(): void {
    this.on('app_info', () => this.info);
    this.on('get_settings', () => this.settings);
    this.on('set_settings', ({ settings }) => {
      this.settings = settings;
      return settings;
    });
    this.on('list_sessions', () => ({ sessions: this.summaries() }));
    this.on('create_session', ({ workspace }) => this.create(workspace));
    this.on('open_session', ({ session_id: id }) => this.session(id).snapshot);
    this.on('page', () => ({ items: [], has_older: false }));
    this.on('search', () => ({ hits: [] }));
    this.on('load_result', () => ({ text: '' }));
    this.on('delete_session', ({ session_id: id }) => {
      this.sessions.delete(id);
      return {};
    });
    this.on('rename_session', ({ session_id: id, title }) => {
      const session = this.session(id);
      session.emit({ type: 'summary', summary: { ...session.snapshot.summary, title } });
      return {};
    });
    this.on('archive_session', ({ session_id: id, archived }) => {
      const session = this.session(id);
      session.emit({ type: 'summary', summary: { ...session.snapshot.summary, archived } });
      return {};
    });
    this.on('queue_remove', ({ session_id: id, id: message }) => {
      const session = this.session(id);
      session.emit({
        type: 'queue',
        queue: session.snapshot.queue.filter((queued) => queued.id !== message),
      });
      return {};
    });
    this.on('own_terminal', ({ shell_id: shell, owner }) => this.changeShell(shell, { input_owner: owner }));
    this.on('running_shells', () => ({ shells: this.runningShells() }));
    this.on('notify_shell', ({ shell_id: shell, ...notify }) => this.changeShell(shell, notify));
    this.on('remove_ended_shells', ({ session_id: id }) => {
      const session = this.session(id);
      const shells = session.snapshot.shells.filter((shell) => shell.state === 'running');
      session.snapshot = { ...session.snapshot, shells };
      session.emit({ type: 'reset' });
      return {};
    });
    this.on('shell_log', ({ from_line: from, lines }) => {
      const all = this.log.split('\n');
      return { text: all.slice(from, from + lines).join('\n'), total_lines: all.length };
    });
    this.on('find_in_shell_log', ({ query }) => {
      const lines = [...this.log.split('\n').entries()]
        .filter(([, line]) => line.toLowerCase().includes(query.toLowerCase()))
        .map(([at]) => at);
      return { lines, total: lines.length };
    });
    this.on('promote_terminal', ({ shell_id: shell }) => this.changeShell(shell, { background: true }));
  }

  private answerChanges(): void {
    const handlers = changeHandlers({ changes: () => this.changes, session: (id) => this.session(id) });
    this.on('undo_edit', handlers.undo_edit);
    this.on('redo_edit', handlers.redo_edit);
    this.on('undo_conflict', handlers.undo_conflict);
    this.on('undo_merged', handlers.undo_merged);
    this.on('rewind_offer', handlers.rewind_offer);
    this.on('rewind_plan', handlers.rewind_plan);
    this.on('rewind', handlers.rewind);
    this.on('undo_rewind', handlers.undo_rewind);
    this.on('workspace_diff', handlers.workspace_diff);
    this.on('workspace_file_diff', handlers.workspace_file_diff);
    this.on('revert_file', handlers.revert_file);
    this.on('authorship', handlers.authorship);
  }

  private runningShells(): ShellInfo[] {
    return [...this.sessions.values()].flatMap((session) =>
      session.snapshot.shells.filter((shell) => shell.state === 'running'),
    );
  }

  private changeShell(shellId: ShellId, change: Partial<ShellInfo>): ShellInfo {
    for (const session of this.sessions.values()) {
      const shell = session.snapshot.shells.find((candidate) => candidate.shell_id === shellId);
      if (!shell) continue;
      const changed = { ...shell, ...change };
      session.emit({ type: 'shell', shell: changed });
      return changed;
    }
    throw new BackendError({ code: 'NOT_FOUND', message: 'no such shell', args: [] });
  }
}
