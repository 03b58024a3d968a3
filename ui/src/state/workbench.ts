import { createStore, type StoreApi } from 'zustand/vanilla';
import { newOp, toBackendError, type Backend, type BackendError } from '@/backend';
import type { SessionId, ShellInfo } from '@/bindings';
import { AppModel } from './appStore';
import { sessionCommand, SessionLink, type SessionCommand } from './sessionLink';
import { Toasts } from './toasts';
import { createUiStore, PANEL_FOR_TERMINAL_PX, type UiState } from './uiStore';

/** Where a session is opened: its newest rows, or around a row that was found. */
export interface OpenAt {
  seq: number | null;
  /** Words to mark. */
  query: string | null;
}

const NEWEST: OpenAt = { seq: null, query: null };

/** The session that is on screen. */
export interface CurrentSession {
  link: SessionLink | null;
  at: OpenAt;
}

/** Everything the views use: the backend, the models, and what a person can do that concerns several of them. */
export class Workbench {
  readonly backend: Backend;
  readonly app: AppModel;
  readonly ui: StoreApi<UiState> = createUiStore();
  readonly toasts = new Toasts();
  readonly current: StoreApi<CurrentSession> = createStore<CurrentSession>(() => ({
    link: null,
    at: NEWEST,
  }));
  private unwatch: (() => void) | null = null;

  constructor(backend: Backend) {
    this.backend = backend;
    this.app = new AppModel(backend);
    // What is being written is kept at once when the person turns to another window or closes this one.
    for (const leaving of ['blur', 'pagehide']) {
      window.addEventListener(leaving, () => {
        this.current.getState().link?.drafts.flush();
      });
    }
  }

  /** Starts, and opens the newest session of the folder. */
  async boot(): Promise<void> {
    await this.app.boot();
    const { status, workspace, list } = this.app.store.getState();
    if (status !== 'ready') return;
    const newest = list.sessions.find((row) => row.workspace === workspace?.path && !row.archived);
    if (newest) this.openSession(newest.session_id);
  }

  openSession(sessionId: SessionId, at: OpenAt = NEWEST): void {
    this.ui.setState({ route: { name: 'chat' } });
    const { link } = this.current.getState();
    if (link?.sessionId === sessionId) {
      if (at.seq !== null) void this.goTo(link, at);
      return;
    }
    this.leaveSession();
    const next = new SessionLink(this.backend, sessionId);
    this.unwatch = next.store.subscribe((view, before) => {
      if (view.status !== 'ready') return;
      const { summary } = view.session;
      if (before.status !== 'ready' || before.session.summary !== summary) this.app.updateSummary(summary);
    });
    this.current.setState({ link: next, at });
    void next.start(at.seq);
  }

  /** Shows a row of the session on screen, with words marked. */
  async goTo(link: SessionLink, at: OpenAt): Promise<void> {
    try {
      if (at.seq !== null) await link.showAround(at.seq);
      this.current.setState({ at });
    } catch (thrown) {
      this.toasts.show({ kind: 'error', text: toBackendError(thrown).message });
    }
  }

  /** Shows a command with its output in the side panel, which is made wide enough for it. */
  readonly openShell = (shell: ShellInfo): void => {
    this.ui.setState(({ panelPx }) => ({
      panelOpen: true,
      panelTab: 'shells',
      panelPx: Math.max(panelPx, PANEL_FOR_TERMINAL_PX),
      openShell: shell.shell_id,
    }));
  };

  /** The person has seen all that a command has printed so far. */
  readonly markShellSeen = (shell: ShellInfo): void => {
    this.ui.setState(({ shellsSeen }) => ({
      shellsSeen: { ...shellsSeen, [shell.shell_id]: shell.bytes },
    }));
  };

  /** Marks words, or none, without moving. */
  mark(query: string | null): void {
    this.current.setState(({ at }) => ({ at: { ...at, query } }));
  }

  closeSession(): void {
    this.leaveSession();
    this.current.setState({ link: null, at: NEWEST });
  }

  async createSession(): Promise<void> {
    const { workspace } = this.app.store.getState();
    if (!workspace) return;
    const request = { op: newOp(), workspace: workspace.path, provider_id: null };
    const summary = await this.backend.call('create_session', request);
    this.app.updateSummary(summary);
    this.openSession(summary.session_id);
  }

  async openWorkspace(path: string): Promise<void> {
    await this.app.useWorkspace(await this.backend.call('open_workspace', { path }));
    this.showWorkspace();
  }

  async openDemoWorkspace(): Promise<void> {
    await this.app.useWorkspace(await this.backend.call('open_demo_workspace', {}));
    this.showWorkspace();
  }

  /** Asks for a folder; `false` if the person changed their mind. */
  async chooseWorkspace(): Promise<boolean> {
    const path = await this.backend.pickFolder();
    if (path === null) return false;
    await this.openWorkspace(path);
    return true;
  }

  async command(name: SessionCommand, sessionId: SessionId): Promise<void> {
    await sessionCommand(this.backend, name, sessionId);
  }

  async renameSession(sessionId: SessionId, title: string): Promise<void> {
    await this.backend.call('rename_session', { op: newOp(), session_id: sessionId, title });
    await this.app.refreshSessions();
  }

  async archiveSession(sessionId: SessionId, archived: boolean): Promise<void> {
    await this.backend.call('archive_session', { op: newOp(), session_id: sessionId, archived });
    await this.app.refreshSessions();
  }

  async deleteSession(sessionId: SessionId): Promise<void> {
    await this.command('delete_session', sessionId);
    this.app.hideSession(sessionId);
    if (this.current.getState().link?.sessionId === sessionId) this.closeSession();
  }

  async undoDelete(sessionId: SessionId): Promise<void> {
    await this.command('undo_delete', sessionId);
    await this.app.unhideSession(sessionId);
  }

  /** Runs something whose failure has no control of its own to stand beside. */
  async run(work: Promise<unknown>, sentence: (error: BackendError) => string): Promise<void> {
    try {
      await work;
    } catch (thrown) {
      this.toasts.show({ kind: 'error', text: sentence(toBackendError(thrown)) });
    }
  }

  private showWorkspace(): void {
    const { workspace, list } = this.app.store.getState();
    const newest = list.sessions.find((row) => row.workspace === workspace?.path && !row.archived);
    if (newest) this.openSession(newest.session_id);
    else this.closeSession();
  }

  private leaveSession(): void {
    this.unwatch?.();
    this.unwatch = null;
    this.current.getState().link?.stop();
  }
}
