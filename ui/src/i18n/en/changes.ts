import { formatNumber, plural } from '../format';

const n = (value: number) => formatNumber('en', value);
const count = (value: number, one: string, many = `${one}s`) => `${n(value)} ${plural(value, one, many)}`;

/** Changes of files after they landed: taking them back, and who made them. */
export const changes = {
  'undo.edit': 'Undo edit',
  'undo.redo': 'Redo edit',
  'undo.done': (what: string) => `Undone: ${what}`,
  'undo.redone': (what: string) => `Done again: ${what}`,
  'undo.undone': 'taken back',
  'undo.files': (files: number) => count(files, 'file'),
  'undo.failed': (file: string, why: string) => `${file}: ${why}`,
  'undo.none': 'No file changed',
  'undo.running': 'Stop the turn first: the agent is at work on these files',

  'error.UNDO_CONFLICT': 'The file was changed since, so it stays as it is',
  'error.BACKUP_MISSING': 'The text from before is no longer kept, so the file stays as it is',
  'error.FILE_CHANGED': 'The file changed since it was shown; look at it again',
  'error.WRITE_FAILED': 'The file could not be written',

  'rewind.title': 'Go back to before this message',
  'rewind.open': 'Rewind to here…',
  'rewind.menu': 'Rewind',
  'rewind.menu.title': 'Go back to before a message',
  'rewind.busy': 'Stop the turn first',
  'rewind.what': 'What goes back',
  'rewind.conversation': 'Conversation',
  'rewind.files': 'Files',
  'rewind.both': 'Both',
  'rewind.messages': (messages: number, turns: number) =>
    `${count(messages, 'message')} in ${count(turns, 'turn')}`,
  'rewind.message.note': 'They go from the conversation; your message comes back into the field below.',
  'rewind.chosen': (chosen: number, all: number) => `${n(chosen)} of ${count(all, 'file')}`,
  'rewind.nofiles': 'No file was changed since',
  'rewind.shells':
    'Only changes by the file tools come back. What shell commands did to other files is not covered.',
  'rewind.action.restore': 'comes back',
  'rewind.action.delete': 'did not exist: goes',
  'rewind.action.conflict': 'changed by someone else since',
  'rewind.action.cannot': 'cannot come back: its old text is not kept',
  'rewind.confirm.conversation': (messages: number) => `Take back ${count(messages, 'message')}`,
  'rewind.confirm.files': (files: number) => `Put back ${count(files, 'file')}`,
  'rewind.confirm.both': (messages: number, files: number) =>
    `Take back ${count(messages, 'message')} and ${count(files, 'file')}`,
  'rewind.bar': 'Rewound',
  'rewind.bar.files': (files: number) => `Rewound · ${count(files, 'file')} put back`,
  'rewind.undone': 'Rewind undone',
  'rewind.loading': 'Looking at what would change…',

  'wsdiff.title': 'Changes in the workspace',
  'wsdiff.open': 'Changes',
  'wsdiff.back': 'Back to chat',
  'wsdiff.scope': 'Since',
  'wsdiff.scope.head': 'Last commit',
  'wsdiff.scope.session': 'This session',
  'wsdiff.scope.turn': 'Last turn',
  'wsdiff.refresh': 'Refresh',
  'wsdiff.list': 'Changed files',
  'wsdiff.loading': 'Looking for changes…',
  'wsdiff.stale': 'Looking again…',
  'wsdiff.empty': 'Nothing changed',
  'wsdiff.empty.head': 'The folder is as the last commit left it.',
  'wsdiff.empty.session': 'No file was changed in this session.',
  'wsdiff.empty.turn': 'No file was changed in the last turn.',
  'wsdiff.choose': 'Choose a file to see what changed in it',
  'wsdiff.state.no_repository':
    'This folder is in no git repository, so there is no commit to compare with. This session and its last turn can still be shown.',
  'wsdiff.state.git_missing':
    'There is no git program on this computer, so there is no commit to compare with. This session and its last turn can still be shown.',
  'wsdiff.state.merge':
    'A merge is under way. End it first: until then the last commit is no useful measure.',
  'wsdiff.state.rebase':
    'A rebase is under way. End it first: until then the last commit is no useful measure.',
  'wsdiff.state.cherry_pick':
    'A cherry-pick is under way. End it first: until then the last commit is no useful measure.',
  'wsdiff.state.revert':
    'A revert is under way. End it first: until then the last commit is no useful measure.',
  'wsdiff.state.timeout': 'git took too long or failed. Nothing is shown rather than half of it.',
  'wsdiff.error': 'The changes could not be read',
  'wsdiff.status.added': 'new',
  'wsdiff.status.modified': 'changed',
  'wsdiff.status.deleted': 'deleted',
  'wsdiff.status.renamed': 'renamed',
  'wsdiff.status.untracked': 'new, not in git',
  'wsdiff.renamed': (from: string) => `was ${from}`,
  'wsdiff.binary': 'binary',
  'wsdiff.binary.text': 'This is no text, so no lines can be shown.',
  'wsdiff.toolarge': 'too large',
  'wsdiff.toolarge.text': 'The change is too large to be shown.',
  'wsdiff.other': 'Other',
  'wsdiff.total': (files: number) => count(files, 'file'),
  'wsdiff.said': (who: string, added: number, removed: number) =>
    `${who}: ${added} added, ${removed} removed.`,
  'wsdiff.cut.files_listed': (limit: number, actual: number) => `Showing ${n(limit)} of ${n(actual)} files`,
  'wsdiff.cut.totals_only': (limit: number, actual: number) =>
    `${n(actual)} files changed, more than ${n(limit)}: only the totals are given`,
  'wsdiff.cut.untracked_uncounted': (limit: number, actual: number) =>
    `Lines of the first ${n(limit)} of ${n(actual)} new files are counted`,
  'wsdiff.cut.files_too_large': (limit: number, actual: number) =>
    `${count(actual, 'file')} with a change above ${n(limit)} bytes cannot be shown`,
  'wsdiff.cut.lines_shown': (limit: number, actual: number) =>
    `Showing the first ${n(limit)} of ${n(actual)} lines of this change`,
  'wsdiff.copy': 'Copy path',
  'wsdiff.copied': 'Copied',
  'wsdiff.revert': 'Revert file…',
  'wsdiff.revert.hunk': 'Revert this change…',
  'wsdiff.revert.nosession': 'Open a session first: it keeps what is replaced',
  'wsdiff.hunk': (at: number, total: number) => `Change ${at} of ${total}`,
  'diff.line.by.ai': 'added by AI',
  'diff.line.by.human': 'added by you',
  'diff.line.by.other': 'added by neither of you',
  'diff.line.by.base': 'there before',
  'revert.title': (path: string) => `Revert ${path}?`,
  'revert.title.hunk': (path: string) => `Revert one change of ${path}?`,
  'revert.lost': 'This goes from the file:',
  'revert.lost.ai': (added: number, removed: number) =>
    `By AI: ${count(added, 'line')} added, ${count(removed, 'line')} removed`,
  'revert.lost.human': (added: number, removed: number) =>
    `By you: ${count(added, 'line')} added, ${count(removed, 'line')} removed`,
  'revert.lost.other': (added: number, removed: number) =>
    `By neither of you: ${count(added, 'line')} added, ${count(removed, 'line')} removed`,
  'revert.goes.ai': (lines: number) => `By AI: ${count(lines, 'line')}`,
  'revert.goes.human': (lines: number) => `By you: ${count(lines, 'line')}`,
  'revert.goes.other': (lines: number) => `By neither of you: ${count(lines, 'line')}`,
  'revert.back': (lines: number) =>
    `${count(lines, 'line')} from before ${plural(lines, 'comes', 'come')} back`,
  'revert.deletes': 'The file did not exist before, so it is deleted.',
  'revert.restores': 'The file is gone now; it comes back.',
  'revert.kept': 'What is replaced is kept: you can undo this.',
  'revert.do': 'Revert',

  'authors.title': 'Whose lines',
  'authors.tab': 'Changes',
  'authors.empty': 'No file was changed in this session.',
  'authors.ai': (lines: number) => `AI ${count(lines, 'line')}`,
  'authors.human': (lines: number) => `You ${count(lines, 'line')}`,
  'authors.said': (ai: number, human: number) => `AI: ${count(ai, 'line')}. You: ${count(human, 'line')}.`,
  'authors.rest': (other: number, base: number) => `Other ${n(other)} · before ${n(base)}`,
  'authors.error': 'The lines could not be counted',
  'key.changes': 'Changes in the workspace',
} as const;
