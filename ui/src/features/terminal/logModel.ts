import { createStore, type StoreApi } from 'zustand/vanilla';
import { toBackendError, type Backend, type BackendError } from '@/backend';
import type { ShellId } from '@/bindings';
import { begin } from '@/lib/activity';
import type { LogLine } from '@/lib/ansi';
import { readLines } from '@/workers/logLines';

/** Lines that are fetched together. */
export const PAGE_LINES = 500;

/** Pages that stay; a log of any length costs the page no more than this. */
const MAX_PAGES = 24;

/** Matches beyond these are counted but not listed. */
export const MAX_HITS = 10_000;

export interface LogState {
  /** Lines of the whole log; `null` until that is known. */
  total: number | null;
  /** Grows with each page that arrives. */
  version: number;
  error: BackendError | null;
}

/** The output of a shell as lines to read: only what is looked at is fetched, and only that is kept. */
export class LogModel {
  readonly store: StoreApi<LogState> = createStore<LogState>(() => ({
    total: null,
    version: 0,
    error: null,
  }));
  private readonly backend: Backend;
  private readonly shellId: ShellId;
  /** In the order of their last use. */
  private readonly pages = new Map<number, readonly LogLine[]>();
  private readonly loading = new Set<number>();

  constructor(backend: Backend, shellId: ShellId) {
    this.backend = backend;
    this.shellId = shellId;
  }

  /** A line, if its page is there. */
  line(at: number): LogLine | null {
    return this.pages.get(pageOf(at))?.[at % PAGE_LINES] ?? null;
  }

  /** Fetches the page of a line, unless it is there. */
  want(at: number): void {
    const page = pageOf(at);
    const known = this.pages.get(page);
    if (known) {
      this.pages.delete(page);
      this.pages.set(page, known);
    } else if (!this.loading.has(page)) {
      void this.load(page);
    }
  }

  /** Looks again where the log ends: of a command that runs it grows. */
  async refresh(): Promise<void> {
    const { total } = this.store.getState();
    await this.load(pageOf(Math.max(0, (total ?? 0) - 1)));
  }

  /** The numbers of the lines that contain a text, upper and lower case alike. */
  async find(query: string): Promise<{ hits: readonly number[]; total: number }> {
    const out = await this.backend.call('find_in_shell_log', {
      shell_id: this.shellId,
      query,
      max: MAX_HITS,
    });
    return { hits: out.lines, total: out.total };
  }

  private async load(page: number): Promise<void> {
    const done = begin();
    this.loading.add(page);
    try {
      const out = await this.backend.call('shell_log', {
        shell_id: this.shellId,
        from_line: page * PAGE_LINES,
        lines: PAGE_LINES,
      });
      this.keep(page, await readLines(out.text));
      this.store.setState(({ version }) => ({ total: out.total_lines, version: version + 1, error: null }));
    } catch (thrown) {
      this.store.setState({ error: toBackendError(thrown) });
    } finally {
      this.loading.delete(page);
      done();
    }
  }

  private keep(page: number, lines: readonly LogLine[]): void {
    this.pages.delete(page);
    this.pages.set(page, lines);
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= MAX_PAGES) return;
      this.pages.delete(oldest);
    }
  }
}

function pageOf(line: number): number {
  return Math.floor(line / PAGE_LINES);
}
