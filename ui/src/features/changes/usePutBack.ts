import { newOp } from '@/backend';
import type { CallId, FileFailure, FilesPutBack, PutBackWhat, RewindChoice, SessionId } from '@/bindings';
import { isPlainKey, useT, type Translate } from '@/i18n';
import { useRun, useWorkbench } from '@/state';

/** Taking back what a person took back is offered this long. */
const UNDO_MS = 10_000;

/** Why a file stayed as it was, in the window's language. */
export function failureText(t: Translate, failure: FileFailure): string {
  const key = `error.${failure.code}`;
  return t('undo.failed', failure.display_path, isPlainKey(key) ? t(key) : failure.message);
}

/** What putting files back did, in a few words: the name of one file, or how many there are. */
export function putBackText(t: Translate, paths: readonly string[]): string {
  const [only] = paths;
  return paths.length === 1 && only !== undefined
    ? (only.split(/[\\/]/).at(-1) ?? only)
    : t('undo.files', paths.length);
}

/** What is said of files that were put back. */
type Sentence = 'undo.done' | 'undo.redone' | 'latewrite.done' | 'rewind.undone';

/** Takes changes of files back, says what became of them, and offers to take that back again. */
export function usePutBack() {
  const t = useT();
  const run = useRun();
  const { backend, toasts } = useWorkbench();

  /** Says what happened; with what took it back, offers the opposite. */
  const tell = (sessionId: SessionId, out: FilesPutBack, sentence: Sentence) => {
    for (const failure of out.failures) toasts.show({ kind: 'warning', text: failureText(t, failure) });
    if (out.paths.length === 0) {
      if (out.failures.length === 0) toasts.show({ kind: 'info', text: t('undo.none') });
      return;
    }
    const { undo } = out;
    const text = sentence === 'rewind.undone' ? t(sentence) : t(sentence, putBackText(t, out.paths));
    toasts.show({
      kind: 'success',
      text,
      shownMs: UNDO_MS,
      ...(undo === null
        ? {}
        : {
            action: {
              label: t('common.undo'),
              run: () => {
                const back = sentence === 'undo.done' ? 'undo.redone' : 'undo.done';
                void run(undoEdit(sessionId, undo, back));
              },
            },
          }),
    });
  };
  const undoEdit = async (
    sessionId: SessionId,
    callId: CallId,
    sentence: Exclude<Sentence, 'rewind.undone'> = 'undo.done',
  ): Promise<FilesPutBack> => {
    const out = await backend.call('undo_edit', { op: newOp(), session_id: sessionId, call_id: callId });
    tell(sessionId, out, sentence);
    return out;
  };
  const redoEdit = async (sessionId: SessionId, callId: CallId): Promise<FilesPutBack> => {
    const out = await backend.call('redo_edit', { op: newOp(), session_id: sessionId, call_id: callId });
    tell(sessionId, out, 'undo.redone');
    return out;
  };
  const putBackMerged = async (
    sessionId: SessionId,
    what: PutBackWhat,
    files: RewindChoice[],
    sentence: Exclude<Sentence, 'rewind.undone'>,
  ): Promise<FilesPutBack> => {
    const out = await backend.call('undo_merged', { op: newOp(), session_id: sessionId, what, files });
    tell(sessionId, out, sentence);
    return out;
  };
  return { tell, undoEdit, redoEdit, putBackMerged };
}
