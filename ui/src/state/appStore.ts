import { createStore, type StoreApi } from 'zustand/vanilla';
import { newOp, toBackendError, type AppEvent, type Backend, type BackendError } from '@/backend';
import type { AppInfo, SessionId, SessionSummary, Settings, ShellInfo, WorkspaceInfo } from '@/bindings';
import { begin } from '@/lib/activity';

/** Where the window stands as a whole; `data-app-state` of the page. */
export type AppStatus = 'booting' | 'first-run' | 'ready' | 'backend-lost';

/** The session list. What was loaded last stays while it is loaded again. */
export interface SessionsState {
  status: 'loading' | 'ready' | 'error';
  sessions: readonly SessionSummary[];
  error: BackendError | null;
}

export interface AppState {
  status: AppStatus;
  /** Why the backend is lost. */
  lost: BackendError | null;
  info: AppInfo | null;
  settings: Settings | null;
  workspace: WorkspaceInfo | null;
  list: SessionsState;
  /** The person wants to close the window while commands run. */
  closing: boolean;
  /** The command that ended last whose end the person wanted to hear of. */
  endedShell: ShellInfo | null;
}

/** What concerns the whole window: settings, folder, the list of sessions. */
export class AppModel {
  readonly store: StoreApi<AppState> = createStore<AppState>(() => ({
    status: 'booting',
    lost: null,
    info: null,
    settings: null,
    workspace: null,
    list: { status: 'loading', sessions: [], error: null },
    closing: false,
    endedShell: null,
  }));
  private readonly backend: Backend;
  /** Deletions the backend has not confirmed in a list yet, so that a row does not come back for a moment. */
  private hidden = new Set<SessionId>();

  constructor(backend: Backend) {
    this.backend = backend;
  }

  async boot(): Promise<void> {
    const done = begin();
    try {
      const [info, settings] = await Promise.all([
        this.backend.call('app_info', {}),
        this.backend.call('get_settings', {}),
        this.backend.onApp((event) => {
          this.onAppEvent(event);
        }),
      ]);
      const status = settings.first_run_done ? 'ready' : 'first-run';
      this.store.setState({ status, info, settings, workspace: info.workspace });
      await this.refreshSessions();
    } catch (thrown) {
      this.store.setState({ status: 'backend-lost', lost: toBackendError(thrown) });
    } finally {
      done();
    }
  }

  /** Changes some settings. The window shows the change at once and takes it back if it was refused. */
  async changeSettings(patch: Partial<Settings>): Promise<void> {
    const before = this.store.getState().settings;
    if (!before) return;
    const settings = { ...before, ...patch };
    this.store.setState({ settings });
    try {
      const kept = await this.backend.call('set_settings', { op: newOp(), settings });
      this.store.setState({ settings: kept });
      if (patch.providers || patch.provider) await this.refreshInfo();
    } catch (thrown) {
      this.store.setState({ settings: before });
      throw toBackendError(thrown);
    }
  }

  /** The window stays open, whatever runs. */
  async keepOpen(): Promise<void> {
    this.store.setState({ closing: false });
    await this.backend.keepOpen();
  }

  /** The first-run pages are done. */
  async finishFirstRun(): Promise<void> {
    await this.changeSettings({ first_run_done: true });
    this.store.setState({ status: 'ready' });
  }

  async refreshInfo(): Promise<void> {
    const info = await this.backend.call('app_info', {});
    this.store.setState({ info, workspace: info.workspace });
  }

  /** A folder was opened by a command of the person. */
  async useWorkspace(workspace: WorkspaceInfo): Promise<void> {
    this.store.setState({ workspace });
    this.store.setState({ settings: await this.backend.call('get_settings', {}) });
    await this.refreshSessions();
  }

  async refreshSessions(): Promise<void> {
    const done = begin();
    try {
      const { sessions } = await this.backend.call('list_sessions', { workspace: null, archived: true });
      const present = new Set(sessions.map((session) => session.session_id));
      for (const id of this.hidden) if (!present.has(id)) this.hidden.delete(id);
      this.setList({
        status: 'ready',
        sessions: sessions.filter((row) => !this.hidden.has(row.session_id)),
        error: null,
      });
    } catch (thrown) {
      const { list } = this.store.getState();
      this.setList({ ...list, status: 'error', error: toBackendError(thrown) });
    } finally {
      done();
    }
  }

  /** A row of the list as an open session reports it. */
  updateSummary(summary: SessionSummary): void {
    const { list } = this.store.getState();
    const known = list.sessions.some((row) => row.session_id === summary.session_id);
    const sessions = known
      ? list.sessions.map((row) => (row.session_id === summary.session_id ? summary : row))
      : [summary, ...list.sessions];
    this.setList({ ...list, sessions });
  }

  /** Takes a row out of the list before the backend's list says so. */
  hideSession(sessionId: SessionId): void {
    this.hidden.add(sessionId);
    const { list } = this.store.getState();
    this.setList({ ...list, sessions: list.sessions.filter((row) => row.session_id !== sessionId) });
  }

  async unhideSession(sessionId: SessionId): Promise<void> {
    this.hidden.delete(sessionId);
    await this.refreshSessions();
  }

  private setList(list: SessionsState): void {
    this.store.setState({ list });
  }

  private onAppEvent({ type, state, shell }: AppEvent): void {
    if (type === 'sessions_changed') void this.refreshSessions();
    if (type === 'settings_changed') void this.refreshSettings();
    if (type === 'shell_ended' && shell) this.store.setState({ endedShell: shell });
    if (type === 'close_requested') this.store.setState({ closing: true });
    const { info } = this.store.getState();
    if (type === 'store' && state && info) this.store.setState({ info: { ...info, store: state } });
  }

  private async refreshSettings(): Promise<void> {
    try {
      this.store.setState({ settings: await this.backend.call('get_settings', {}) });
      await this.refreshInfo();
    } catch (thrown) {
      this.store.setState({ status: 'backend-lost', lost: toBackendError(thrown) });
    }
  }
}
