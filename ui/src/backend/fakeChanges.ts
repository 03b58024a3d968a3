import type {
  Authorship,
  CallId,
  Conflicts,
  EditMark,
  FilesPutBack,
  Item,
  RewindOffer,
  RewindPlan,
  SessionEvent,
  SessionId,
  Snapshot,
  WorkspaceDiff,
  WorkspaceFileDiff,
} from '@/bindings';
import { BackendError, type RequestOf, type ResponseOf } from './types';

/** What the fake knows of files: nothing, unless a test says something. */
export interface FakeChanges {
  plan: RewindPlan;
  rewindOffer: RewindOffer;
  diff: WorkspaceDiff;
  /** By canonical path. */
  files: Record<string, WorkspaceFileDiff>;
  authorship: Authorship;
  conflicts: Conflicts;
  /** What taking files back answers instead of doing it. */
  putBack: FilesPutBack | null;
}

const NO_LINES = { added: 0, removed: 0 };

export function noChanges(): FakeChanges {
  return {
    plan: { messages: 1, turns: 1, files: [] },
    rewindOffer: { can_undo: false, files: 0, seq: 0 },
    diff: {
      state: 'ok',
      files: [],
      total_files: 0,
      listed_files: 0,
      ai: NO_LINES,
      you: NO_LINES,
      other: NO_LINES,
      cut: [],
    },
    files: {},
    authorship: { files: [], totals: { ai: 0, human: 0, other: 0, base: 0 } },
    conflicts: { files: [] },
    putBack: null,
  };
}

interface World {
  changes: () => FakeChanges;
  session: (id: SessionId) => { snapshot: Snapshot; emit: (...events: SessionEvent[]) => void };
}

type Handlers = { [K in ChangeCommand]: (request: RequestOf<K>) => ResponseOf<K> };
type ChangeCommand =
  | 'undo_edit'
  | 'redo_edit'
  | 'undo_conflict'
  | 'undo_merged'
  | 'rewind_offer'
  | 'rewind_plan'
  | 'rewind'
  | 'undo_rewind'
  | 'workspace_diff'
  | 'workspace_file_diff'
  | 'revert_file'
  | 'authorship';

/** Answers of the commands that look at changes of files or take them back. */
export function changeHandlers({ changes, session }: World): Handlers {
  const mark = (id: SessionId, callId: CallId, state: EditMark['state']): FilesPutBack => {
    const { putBack } = changes();
    if (putBack) return putBack;
    const known = session(id);
    const item = known.snapshot.items.find(({ body }) => body.kind === 'tool' && body.call_id === callId);
    if (item?.body.kind !== 'tool') return { paths: ['/home/me/my-repo/other'], failures: [], undo: null };
    const by = `${state}-${callId}`;
    const changed: Item = { ...item, body: { ...item.body, edit: { state, by } } };
    known.emit({ type: 'item_changed', item: changed });
    return { paths: [pathOf(item)], failures: [], undo: by };
  };
  return {
    undo_edit: ({ session_id: id, call_id: call }) => mark(id, call, 'undone'),
    redo_edit: ({ session_id: id, call_id: call }) => mark(id, call, 'landed'),
    undo_conflict: () => changes().conflicts,
    undo_merged: ({ session_id: id, what }) => {
      if (what.kind === 'rewind')
        throw new BackendError({ code: 'BAD_REQUEST', message: 'rewind', args: [] });
      return mark(id, what.call_id, what.kind === 'undo' ? 'undone' : 'landed');
    },
    rewind_offer: () => changes().rewindOffer,
    rewind_plan: () => changes().plan,
    rewind: ({ session_id: id, seq, what, files }) => {
      const known = session(id);
      const body = known.snapshot.items.find((item) => item.seq === seq)?.body;
      if (what !== 'files') known.emit({ type: 'items_hidden', from: seq });
      return {
        put_back: changes().putBack ?? { paths: files.map((file) => file.path), failures: [], undo: null },
        text: what !== 'files' && body?.kind === 'user' ? body.text : null,
        images: [],
      };
    },
    undo_rewind: () => ({
      put_back: { paths: ['/home/me/my-repo/src/parser.rs'], failures: [], undo: null },
      text: null,
      images: [],
    }),
    workspace_diff: () => changes().diff,
    workspace_file_diff: ({ path }) => {
      const found = changes().files[path];
      if (!found) throw new BackendError({ code: 'NOT_FOUND', message: path, args: [] });
      return found;
    },
    revert_file: ({ path }) =>
      changes().putBack ?? { paths: [path], failures: [], undo: 'call-of-the-revert' },
    authorship: () => changes().authorship,
  };
}

function pathOf({ body }: Item): string {
  return body.kind === 'tool' && body.display?.kind === 'file_diff' ? body.display.diff.file_path : '';
}
