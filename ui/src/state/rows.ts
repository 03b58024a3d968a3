import type { Item } from '@/bindings';
import type { ToolItem } from '@/lib/toolItem';
import type { SessionState } from './sessionReducer';

/** From this many on, finished reads and searches of one step become one line. */
const MIN_FOLDED_CALLS = 3;

/** One row of the transcript. `head` says that a new speaker begins. */
export type Row =
  | { kind: 'item'; key: string; seq: number; head: boolean }
  | { kind: 'fold'; key: string; seqs: readonly number[] }
  | { kind: 'live'; key: string; request: number; head: boolean }
  | { kind: 'discarded'; key: string; request: number; errorKind: string };

/** The call of a row, if it is one. */
export function toolOf(item: Item): ToolItem | null {
  return item.body.kind === 'tool' ? item.body : null;
}

/**
 * The rows of a session, in order. The answer is `previous` itself where nothing was added, removed or folded, so
 * that a change inside a row does not touch the list.
 */
export function deriveRows(state: SessionState, previous: readonly Row[]): readonly Row[] {
  const rows = [...itemRows(state), ...tailRows(state)];
  return sameRows(rows, previous) ? previous : rows;
}

function itemRows(state: SessionState): Row[] {
  const rows: Row[] = [];
  let agentSpeaks = false;
  let run: Item[] = [];
  const endRun = () => {
    if (run.length >= MIN_FOLDED_CALLS) {
      rows.push({ kind: 'fold', key: rowKey(run[0]), seqs: run.map((item) => item.seq) });
    } else {
      for (const item of run) rows.push({ kind: 'item', key: rowKey(item), seq: item.seq, head: false });
    }
    run = [];
  };
  for (const seq of state.order) {
    const item = state.items[seq];
    if (!item || isEmpty(item)) continue;
    if (isFoldable(item)) {
      if (run[0] && run[0].step !== item.step) endRun();
      run.push(item);
      continue;
    }
    endRun();
    const byAgent = item.body.kind === 'assistant' || item.body.kind === 'tool';
    rows.push({ kind: 'item', key: rowKey(item), seq, head: item.body.kind === 'assistant' && !agentSpeaks });
    agentSpeaks = byAgent && (agentSpeaks || item.body.kind === 'assistant');
  }
  endRun();
  return rows;
}

function tailRows(state: SessionState): Row[] {
  if (state.detached) return [];
  const rows: Row[] = state.discarded.map(({ request, errorKind }) => ({
    kind: 'discarded',
    key: `d${request}`,
    request,
    errorKind,
  }));
  if (state.liveRequest !== null && state.live.length > 0) {
    const request = state.liveRequest;
    rows.push({ kind: 'live', key: `r${request}`, request, head: !endsWithAgent(state) });
  }
  return rows;
}

function endsWithAgent(state: SessionState): boolean {
  for (let at = state.order.length - 1; at >= 0; at -= 1) {
    const item = state.items[state.order[at] ?? -1];
    if (!item || isEmpty(item) || item.body.kind === 'tool') continue;
    return item.body.kind === 'assistant';
  }
  return false;
}

/** Live text and the stored answer of the same request have one key, so that the row stays in place. */
function rowKey(item: Item | undefined): string {
  if (!item) return '';
  return item.body.kind === 'assistant' ? `r${item.body.request}` : `s${item.seq}`;
}

/** An answer that consists of calls alone shows nothing of its own. */
function isEmpty(item: Item): boolean {
  if (item.body.kind === 'user') return item.body.text === '' && item.body.images.length === 0;
  if (item.body.kind !== 'assistant') return false;
  return item.body.blocks.every((block) => {
    switch (block.kind) {
      case 'call':
      case 'opaque':
        return true;
      case 'text':
        return block.text === '';
      case 'thinking':
        return block.text === '';
      case 'server_tool_call':
      case 'server_tool_result':
        return false;
    }
  });
}

function isFoldable(item: Item): boolean {
  const tool = toolOf(item);
  if (tool?.state !== 'done' || tool.status !== 'ok') return false;
  return tool.tool_kind === 'read' || tool.tool_kind === 'search';
}

function sameRows(rows: readonly Row[], previous: readonly Row[]): boolean {
  if (rows.length !== previous.length) return false;
  return rows.every((row, at) => sameRow(row, previous[at]));
}

function sameRow(row: Row, other: Row | undefined): boolean {
  if (row.kind !== other?.kind || row.key !== other.key) return false;
  if (row.kind === 'fold' && other.kind === 'fold') return row.seqs.length === other.seqs.length;
  if (row.kind === 'item' && other.kind === 'item') return row.head === other.head && row.seq === other.seq;
  return true;
}
