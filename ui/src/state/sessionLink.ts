import { createStore, type StoreApi } from 'zustand/vanilla';
import { newOp, toBackendError, type Backend, type BackendError, type Unsubscribe } from '@/backend';
import type { Envelope, ProposalId, SavedOutside, SessionId, Snapshot } from '@/bindings';
import { begin } from '@/lib/activity';
import { measureFlush } from '@/lib/frameSampler';
import { Drafts } from './drafts';
import { LiveTexts } from './liveText';
import { deriveRows, type Row } from './rows';
import {
  fromSnapshot,
  sessionReducer,
  withOlder,
  withoutClosedAsk,
  type SessionState,
} from './sessionReducer';

/** Rows asked for at a time when the person scrolls back. */
const PAGE_ROWS = 100;

/** A question that closed without the person stays on screen this long, with the reason. */
export const WITHDRAWN_SHOWN_MS = 4_000;

/** What the views of one session see. */
export type SessionView =
  | { status: 'loading' }
  | { status: 'error'; error: BackendError }
  | { status: 'ready'; session: SessionState; rows: readonly Row[]; loadingOlder: boolean };

/**
 * Keeps one session's state equal to the backend's.
 *
 * It subscribes first and keeps what arrives, then takes a snapshot, then applies what is newer than the snapshot.
 * A hole in the numbers, or a `reset`, means a new snapshot; another `run` means that everything older is forgotten.
 */
export class SessionLink {
  readonly sessionId: SessionId;
  readonly store: StoreApi<SessionView>;
  readonly texts = new LiveTexts();
  readonly drafts: Drafts;

  private readonly backend: Backend;
  /** What else ends with this link. */
  readonly atEnd = new Set<() => void>();
  /** Who hears of what the person's own editor saved. */
  readonly onSavedOutside = new Set<(proposalId: ProposalId, saved: SavedOutside) => void>();
  private unsubscribe: Unsubscribe | null = null;
  private kept: Envelope[] | null = [];
  private rev = 0;
  private stopped = false;

  constructor(backend: Backend, sessionId: SessionId) {
    this.backend = backend;
    this.sessionId = sessionId;
    this.store = createStore<SessionView>(() => ({ status: 'loading' }));
    this.drafts = new Drafts((key, value) => {
      // A draft that could not be saved is still in the window; the next change tries again.
      backend.call('save_draft', { session_id: sessionId, key, value }).catch(() => undefined);
    });
  }

  /** Attaches. `around` opens at that row instead of the newest. */
  async start(around: number | null = null): Promise<void> {
    const done = begin();
    try {
      const unsubscribe = await this.backend.subscribe(this.sessionId, (batch) => {
        measureFlush(() => {
          this.receive(batch);
        });
      });
      if (this.stopped) unsubscribe();
      else this.unsubscribe = unsubscribe;
      await this.takeSnapshot(around);
    } catch (thrown) {
      this.store.setState({ status: 'error', error: toBackendError(thrown) }, true);
    } finally {
      done();
    }
  }

  stop(): void {
    this.stopped = true;
    this.drafts.flush();
    this.unsubscribe?.();
    this.unsubscribe = null;
    for (const end of this.atEnd) end();
    this.atEnd.clear();
  }

  /** Loads the page before the oldest row. Does nothing while one is on its way. */
  async loadOlder(): Promise<void> {
    const view = this.store.getState();
    if (view.status !== 'ready' || view.loadingOlder || !view.session.hasOlder) return;
    const before = view.session.order[0];
    if (before === undefined) return;
    this.store.setState({ ...view, loadingOlder: true }, true);
    try {
      const request = { session_id: this.sessionId, before, limit: PAGE_ROWS };
      const page = await this.backend.call('page', request);
      this.change((session) => withOlder(session, page.items, page.has_older));
    } finally {
      const now = this.store.getState();
      if (now.status === 'ready') this.store.setState({ ...now, loadingOlder: false }, true);
    }
  }

  /** Makes sure that a row is loaded, with what stands around it. */
  async showAround(seq: number): Promise<void> {
    const view = this.store.getState();
    if (view.status !== 'ready' || seq in view.session.items) return;
    await this.takeSnapshot(seq);
  }

  /** Back to the newest rows, after a look at others. */
  async showNewest(): Promise<void> {
    await this.takeSnapshot(null);
  }

  private async takeSnapshot(around: number | null): Promise<void> {
    this.kept ??= [];
    const snapshot = await this.backend.call('open_session', { session_id: this.sessionId, around });
    const detached = around !== null && (await this.lacksNewest(snapshot));
    if (this.stopped) return;
    const view = this.store.getState();
    const previous = view.status === 'ready' && around === null ? view.session : null;
    const session = { ...fromSnapshot(snapshot, previous), detached };
    this.rev = snapshot.rev;
    const { live_request: request } = snapshot;
    this.texts.keepOnly([]);
    if (request !== null) for (const live of snapshot.live) this.texts.set(request, live.block, live.text);
    this.show(session, view);
    this.drafts.load(snapshot.drafts);
    const kept = this.kept;
    this.kept = null;
    this.receive(kept);
  }

  private async lacksNewest(snapshot: Snapshot): Promise<boolean> {
    const request = { session_id: this.sessionId, before: Number.MAX_SAFE_INTEGER, limit: 1 };
    const { items } = await this.backend.call('page', request);
    const newest = items.at(-1)?.seq;
    return newest !== undefined && newest > (snapshot.items.at(-1)?.seq ?? 0);
  }

  private receive(batch: readonly Envelope[]): void {
    if (this.kept) {
      this.kept.push(...batch);
      return;
    }
    const view = this.store.getState();
    if (view.status !== 'ready') return;
    let session = view.session;
    for (const [at, envelope] of batch.entries()) {
      if (envelope.rev <= this.rev) continue;
      if (envelope.rev !== this.rev + 1 || envelope.event.type === 'reset') {
        this.show(session, view);
        this.startOver(batch.slice(at));
        return;
      }
      this.rev = envelope.rev;
      session = this.apply(session, envelope);
    }
    this.show(session, view);
  }

  private apply(session: SessionState, envelope: Envelope): SessionState {
    const { event } = envelope;
    switch (event.type) {
      case 'block_delta':
        this.texts.append(event.request, event.block, event.delta);
        return session;
      case 'draft':
        this.drafts.giveBack('composer', event.text);
        return session;
      case 'saved_outside':
        for (const hear of this.onSavedOutside) hear(event.proposal_id, event.saved);
        return session;
      case 'ask_closed':
        this.forgetClosedAskLater(event.call_id);
        break;
      default:
        break;
    }
    return sessionReducer(session, envelope);
  }

  private forgetClosedAskLater(callId: string): void {
    window.setTimeout(() => {
      this.change((session) => withoutClosedAsk(session, callId));
    }, WITHDRAWN_SHOWN_MS);
  }

  private startOver(rest: readonly Envelope[]): void {
    this.kept = rest.filter((envelope) => envelope.event.type !== 'reset');
    const done = begin();
    this.takeSnapshot(null)
      .catch((thrown: unknown) => {
        this.store.setState({ status: 'error', error: toBackendError(thrown) }, true);
      })
      .finally(done);
  }

  private change(make: (session: SessionState) => SessionState): void {
    const view = this.store.getState();
    if (view.status === 'ready') this.show(make(view.session), view);
  }

  private show(session: SessionState, view: SessionView): void {
    document.documentElement.dataset.rev = String(this.rev);
    if (view.status === 'ready' && view.session === session) return;
    const rows = deriveRows(session, view.status === 'ready' ? view.rows : []);
    const loadingOlder = view.status === 'ready' && view.loadingOlder;
    this.store.setState({ status: 'ready', session, rows, loadingOlder }, true);
  }
}

/** Commands to the session that only name it. */
export type SessionCommand =
  'cancel' | 'continue_turn' | 'retry_now' | 'send_queued' | 'delete_session' | 'undo_delete';

/** Sends a command that only names the session. */
export async function sessionCommand(
  backend: Backend,
  name: SessionCommand,
  sessionId: SessionId,
): Promise<void> {
  await backend.call(name, { op: newOp(), session_id: sessionId });
}
