import type { FakeChanges } from '@/backend/fakeChanges';
import type { ChangedFile, FileConflict, LineCounts, RewindFile, WorkspaceFileDiff } from '@/bindings';
import { WORKSPACE, fileDiff } from './builders';

/** Files that changed, with lines of everybody. */

const NO_LINES: LineCounts = { added: 0, removed: 0 };

export function changedFile(path: string, change: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path: `${WORKSPACE}/${path}`,
    display_path: path,
    old_path: null,
    status: 'modified',
    binary: false,
    too_large: false,
    ai: NO_LINES,
    you: NO_LINES,
    other: NO_LINES,
    ...change,
  };
}

export function rewindFile(path: string, change: Partial<RewindFile> = {}): RewindFile {
  return {
    path: `${WORKSPACE}/${path}`,
    display_path: path,
    added: 3,
    removed: 12,
    action: 'restore',
    current_hash: 'now',
    ...change,
  };
}

/** A file in conflict that can be merged, unless the test says otherwise. */
export function fileConflict(path: string, change: Partial<FileConflict> = {}): FileConflict {
  const side = (text: string) => ({ state: 'text' as const, text });
  const [current, merged] = ['zero\none\nTWO\nthree\n', 'zero\none\ntwo\nthree\n'];
  return {
    path: `${WORKSPACE}/${path}`,
    display_path: path,
    before: side('one\ntwo\nthree\n'),
    after: side('one\nTWO\nthree\n'),
    current: side(current),
    current_hash: 'now',
    merge: {
      diff: fileDiff(current, merged, { unified_diff: '@@ -2,2 +2,2 @@\n one\n-TWO\n+two\n three\n' }),
      hash: 'merged',
    },
    problem: null,
    ...change,
  };
}

/** The change of a file, line by line: whose each is. */
export function workspaceFileDiff(
  path: string,
  unified: string,
  change: Partial<WorkspaceFileDiff> = {},
): WorkspaceFileDiff {
  return {
    diff: fileDiff('', '', {
      file_path: `${WORKSPACE}/${path}`,
      display_path: path,
      base_text: null,
      new_text: null,
      unified_diff: unified,
    }),
    is_deleted: false,
    binary: false,
    too_large: false,
    owners: [],
    current_hash: 'h1',
    cut: [],
    ...change,
  };
}

const PARSER = `--- a/src/parser.rs
+++ b/src/parser.rs
@@ -40,4 +40,5 @@
     match tok {
-        None => panic!("eof"),
+        None => return Ok(Node::End),
+        // keep the span for errors
         Some(t) => self.rest(t)?,
     }
@@ -60,3 +61,4 @@
 fn rest(&mut self) {
     self.flush();
+    self.log();
 }
`;

/** Everything the wireframe shows. */
export function demoChanges(): FakeChanges {
  const files = [
    changedFile('src/parser.rs', {
      ai: { added: 12, removed: 3 },
      you: { added: 2, removed: 1 },
      other: { added: 1, removed: 0 },
    }),
    changedFile('src/lexer.rs', { ai: { added: 40, removed: 8 } }),
    changedFile('README.md', { other: { added: 3, removed: 0 } }),
    changedFile('assets/logo.png', { binary: true, status: 'untracked' }),
    changedFile('Cargo.lock', { other: { added: 210, removed: 88 } }),
  ];
  return {
    plan: {
      messages: 7,
      turns: 2,
      files: [
        rewindFile('src/parser.rs'),
        rewindFile('src/bin/try.rs', { added: 0, removed: 4, action: 'delete' }),
        rewindFile('Cargo.lock', { added: 88, removed: 210, action: 'conflict' }),
        rewindFile('assets/logo.svg', { added: 0, removed: 0, action: 'cannot' }),
      ],
    },
    diff: {
      state: 'ok',
      files,
      total_files: 63,
      listed_files: 50,
      ai: { added: 52, removed: 11 },
      you: { added: 2, removed: 1 },
      other: { added: 214, removed: 88 },
      cut: [{ kind: 'files_listed', limit: 50, actual: 63 }],
    },
    files: {
      [`${WORKSPACE}/src/parser.rs`]: workspaceFileDiff('src/parser.rs', PARSER, {
        owners: [
          { lines: 40, owner: 'base' },
          { lines: 1, owner: 'ai' },
          { lines: 1, owner: 'human' },
          { lines: 20, owner: 'base' },
          { lines: 1, owner: 'other' },
          { lines: 40, owner: 'base' },
        ],
        cut: [{ kind: 'lines_shown', limit: 400, actual: 612 }],
      }),
      [`${WORKSPACE}/assets/logo.png`]: workspaceFileDiff('assets/logo.png', '', { binary: true }),
    },
    authorship: {
      files: [
        {
          path: `${WORKSPACE}/src/parser.rs`,
          display_path: 'src/parser.rs',
          lines: { ai: 12, human: 2, other: 1, base: 86 },
          runs: [],
        },
        {
          path: `${WORKSPACE}/src/lexer.rs`,
          display_path: 'src/lexer.rs',
          lines: { ai: 40, human: 0, other: 0, base: 180 },
          runs: [],
        },
      ],
      totals: { ai: 52, human: 2, other: 1, base: 266 },
    },
    rewindOffer: { can_undo: false, files: 0, seq: 0 },
    conflicts: { files: [] },
    putBack: null,
  };
}
