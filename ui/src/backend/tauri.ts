import { Channel, invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import type { Envelope, ShellId, TerminalSnapshot } from '@/bindings';
import { TerminalFeed } from './terminalFeed';
import {
  toBackendError,
  type AppEvent,
  type Backend,
  type TerminalHandlers,
  type TerminalLink,
} from './types';

/** Name of the one event that concerns the whole window. */
const APP_EVENT = 'app';

async function command<T>(name: string, args: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(name, args);
  } catch (thrown) {
    throw toBackendError(thrown);
  }
}

/** For calls whose failure nobody can react to any more, such as leaving a view of a shell that is gone. */
function inform(name: string, args: Record<string, unknown>): void {
  command(name, args).catch((error: unknown) => {
    console.debug(`${name} was not heard`, error);
  });
}

/** Output is left out when the view falls behind; it asks for a new snapshot no more often than this. */
const REATTACH_DELAY_MS = 250;

/** One view of a terminal: attaches, and attaches again after a gap, until it is detached. */
class TauriTerminal implements TerminalLink {
  private readonly shellId: ShellId;
  private readonly feed: TerminalFeed;
  private channel: Channel<ArrayBuffer> | null = null;
  private timer: number | undefined;
  private detached = false;

  constructor(shellId: ShellId, handlers: TerminalHandlers) {
    this.shellId = shellId;
    this.feed = new TerminalFeed(handlers, () => {
      this.leave();
      this.timer = window.setTimeout(() => void this.connect().catch(() => undefined), REATTACH_DELAY_MS);
    });
  }

  async connect(): Promise<void> {
    const channel: Channel<ArrayBuffer> = new Channel<ArrayBuffer>((frame) => {
      if (channel === this.channel) this.feed.frame(frame);
    });
    this.channel = channel;
    const args = { shell_id: this.shellId, have: null, channel };
    const snapshot = await command<TerminalSnapshot>('attach_terminal', args);
    if (this.detached) inform('detach_terminal', { shell_id: this.shellId, view: channel.id });
    else this.feed.snapshot(snapshot);
  }

  ack(offset: number): void {
    if (this.channel) inform('ack_terminal', { shell_id: this.shellId, view: this.channel.id, offset });
  }

  detach(): void {
    this.detached = true;
    window.clearTimeout(this.timer);
    this.leave();
  }

  private leave(): void {
    if (this.channel) inform('detach_terminal', { shell_id: this.shellId, view: this.channel.id });
    this.channel = null;
  }
}

/** The desktop shell as a backend. */
export const tauriBackend: Backend = {
  call: (name, request) => command('rpc', { name, request }),

  async subscribe(sessionId, onEnvelopes) {
    const channel = new Channel<Envelope[]>(onEnvelopes);
    await command('subscribe', { session_id: sessionId, channel });
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      channel.onmessage = () => undefined;
      inform('unsubscribe', { session_id: sessionId, channel_id: channel.id });
    };
  },

  onApp: (handler) => listen<AppEvent>(APP_EVENT, (event) => handler(event.payload)),

  async attachTerminal(shellId, handlers) {
    const terminal = new TauriTerminal(shellId, handlers);
    await terminal.connect();
    return terminal;
  },

  pickFolder: () => command<string | null>('pick_folder', {}),
  setTitle: (title) => command('set_title', { title }),
  closingShown: () => command('closing_shown', {}),
  keepOpen: () => command('keep_open', {}),
  quit: () => command('quit', {}),
};
