import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import type { Backend, TerminalLink } from '@/backend';
import type { ShellId } from '@/bindings';
import { leavesTerminal } from '@/keys';
import { begin } from '@/lib/activity';
import { binaryToBase64, fromBase64, textToBase64 } from './base64';
import { FlowMeter } from './flow';
import { swallowQueries } from './queries';
import { onAppearance, terminalFontSize, terminalTheme } from './theme';

/** Lines that can be scrolled back; the rest is in the backend's file. */
const SCROLLBACK_LINES = 10_000;

/** The smallest size a program gets. */
const MIN_COLS = 40;
const MIN_ROWS = 8;

/** How often the speed of the output is told while it is drawn. */
const FLOW_INTERVAL_MS = 500;

/** A new size is told this long after the last change. */
const RESIZE_DELAY_MS = 100;

/** What the view around the screen hears. */
export interface ScreenEvents {
  onSize: (cols: number, rows: number) => void;
  /** Whether newer output lies below what is shown. */
  onAway: (away: boolean) => void;
  onLink: (address: string) => void;
  /** A key while nobody owns the input: Enter takes it. */
  onKeyWithoutOwner: (event: KeyboardEvent) => void;
  onPaste: (text: string) => void;
  /** Lines per second while output is too fast to be drawn whole; `null` otherwise. */
  onFast: (linesPerSecond: number | null) => void;
  /** Lines that the program has printed and the view cannot scroll back to. */
  onEarlier: (more: boolean) => void;
  onError: (thrown: unknown) => void;
}

/** The screen of one shell: draws what the backend sends and types what the person types. */
export class Screen {
  readonly terminal: Terminal;
  private readonly backend: Backend;
  private readonly shellId: ShellId;
  private readonly events: ScreenEvents;
  private readonly fit = new FitAddon();
  private readonly cleanup: (() => void)[] = [];
  private link: TerminalLink | null = null;
  private resizeTimer: number | undefined;
  private closed = false;
  private readonly flow = new FlowMeter();
  private flowTimer: number | undefined;
  private drawnTo = 0;
  private owned = false;
  private hidden = false;

  constructor(backend: Backend, shellId: ShellId, events: ScreenEvents) {
    this.backend = backend;
    this.shellId = shellId;
    this.events = events;
    this.terminal = new Terminal({
      allowProposedApi: true,
      scrollback: SCROLLBACK_LINES,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-code').trim(),
      fontSize: terminalFontSize(),
      lineHeight: 1.3,
      theme: terminalTheme(),
      minimumContrastRatio: 4.5,
      disableStdin: true,
      cursorInactiveStyle: 'none',
      macOptionIsMeta: true,
    });
  }

  /** Draws into `box` and attaches to the shell. */
  open(box: HTMLElement): void {
    const { terminal } = this;
    terminal.loadAddon(this.fit);
    terminal.loadAddon(new Unicode11Addon());
    terminal.loadAddon(
      new WebLinksAddon((_event, address) => {
        this.events.onLink(address);
      }),
    );
    terminal.unicode.activeVersion = '11';
    swallowQueries(terminal);
    terminal.open(box);
    terminal.attachCustomKeyEventHandler((event) => this.onKey(event));
    terminal.onData((data) => {
      this.type(textToBase64(data));
    });
    terminal.onBinary((data) => {
      this.type(binaryToBase64(data));
    });
    terminal.onScroll(() => {
      this.tellAway();
    });
    const onPaste = (event: ClipboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      if (this.owned) this.events.onPaste(event.clipboardData?.getData('text/plain') ?? '');
    };
    box.addEventListener('paste', onPaste, true);
    const observer = new ResizeObserver(() => {
      this.fitSoon();
    });
    observer.observe(box);
    const stopLooking = onAppearance(() => {
      terminal.options.theme = terminalTheme();
      terminal.options.fontSize = terminalFontSize();
      this.fitSoon();
    });
    this.cleanup.push(
      () => {
        box.removeEventListener('paste', onPaste, true);
      },
      () => {
        observer.disconnect();
      },
      stopLooking,
    );
    void document.fonts.ready.then(() => {
      if (this.closed) return;
      this.fitNow();
      void this.attach();
    });
  }

  /** Whose keys the process gets. */
  setOwned(owned: boolean): void {
    this.owned = owned;
    this.terminal.options.disableStdin = !owned;
    this.terminal.options.cursorBlink = owned;
    if (owned) this.terminal.focus();
  }

  /** Whether what is typed may be kept. */
  setHidden(hidden: boolean): void {
    this.hidden = hidden;
  }

  /** Types pasted text, framed for programs that asked for that. */
  paste(text: string): void {
    this.terminal.paste(text);
  }

  text(fromLine: number, toLine: number): string {
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let at = fromLine; at < Math.min(toLine, active.length); at += 1) {
      lines.push(active.getLine(at)?.translateToString(true) ?? '');
    }
    return lines.join('\n');
  }

  cursor(): { x: number; y: number } {
    const { active } = this.terminal.buffer;
    return { x: active.cursorX, y: active.cursorY };
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.resizeTimer);
    window.clearTimeout(this.flowTimer);
    this.link?.detach();
    for (const clean of this.cleanup) clean();
    this.terminal.dispose();
  }

  private async attach(): Promise<void> {
    try {
      const link = await this.backend.attachTerminal(this.shellId, {
        snapshot: (snapshot) => {
          if (this.drawnTo > 0) this.flow.leftOut(snapshot.offset - this.drawnTo, performance.now());
          this.terminal.reset();
          // The picture is that of a screen of this size; only then does it take that of the view.
          this.terminal.resize(snapshot.cols, snapshot.rows);
          this.write(fromBase64(snapshot.screen_base64), snapshot.offset);
          this.terminal.write('', () => {
            if (!this.closed) this.fitNow();
          });
        },
        bytes: (offset, data) => {
          this.flow.drawn(data, performance.now());
          this.write(data, offset + data.length);
        },
        // A new snapshot follows and replaces what is shown.
        gap: () => undefined,
      });
      if (this.closed) link.detach();
      else this.link = link;
    } catch (thrown) {
      this.events.onError(thrown);
    }
  }

  private write(data: Uint8Array, upTo: number): void {
    const done = begin();
    this.terminal.write(data, () => {
      done();
      this.link?.ack(upTo);
      this.drawnTo = upTo;
      this.tellAway();
      this.tellFlowSoon();
    });
  }

  private type(bytes: string): void {
    if (!this.owned) return;
    this.backend
      .call('write_terminal', { shell_id: this.shellId, bytes_base64: bytes, hidden: this.hidden })
      .catch((thrown: unknown) => {
        this.events.onError(thrown);
      });
  }

  private onKey(event: KeyboardEvent): boolean {
    if (event.type !== 'keydown') return true;
    if (leavesTerminal(event)) return false;
    if (event.ctrlKey && event.shiftKey && event.code === 'KeyC') {
      event.preventDefault();
      const selection = this.terminal.getSelection();
      if (selection !== '')
        void navigator.clipboard.writeText(selection.replace(/[ \t]+$/gm, '')).catch(() => undefined);
      return false;
    }
    // The browser turns this key into a paste.
    if (event.ctrlKey && event.shiftKey && event.code === 'KeyV') return false;
    if (!this.owned) {
      this.events.onKeyWithoutOwner(event);
      return false;
    }
    return true;
  }

  private tellAway(): void {
    const { active } = this.terminal.buffer;
    this.events.onAway(active.viewportY < active.baseY);
  }

  private tellFlowSoon(): void {
    this.flowTimer ??= window.setTimeout(() => {
      this.flowTimer = undefined;
      const fast = this.flow.fast(performance.now());
      this.events.onFast(fast);
      this.events.onEarlier(this.terminal.buffer.normal.length >= SCROLLBACK_LINES);
      // The end of a flood is told, too.
      if (fast !== null && !this.closed) this.tellFlowSoon();
    }, FLOW_INTERVAL_MS);
  }

  private fitSoon(): void {
    window.clearTimeout(this.resizeTimer);
    this.resizeTimer = window.setTimeout(() => {
      this.fitNow();
    }, RESIZE_DELAY_MS);
  }

  private fitNow(): void {
    const proposed = this.fit.proposeDimensions();
    if (!proposed || Number.isNaN(proposed.cols) || Number.isNaN(proposed.rows)) return;
    const cols = Math.max(MIN_COLS, proposed.cols);
    const rows = Math.max(MIN_ROWS, proposed.rows);
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
    this.events.onSize(cols, rows);
    this.backend
      .call('resize_terminal', { shell_id: this.shellId, cols, rows })
      // A shell that has just ended has no size any more.
      .catch(() => undefined);
  }
}
