import { GitMerge, Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { CallId, EditMark, FileFailure, FilesPutBack } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useErrorText, useLink, useSession } from '@/state';
import { tid } from '@/testids';
import { ConflictDialog } from './ConflictDialog';
import { failureText, usePutBack } from './usePutBack';

/** Takes back what a call did to a file, or does it again; why that did not work stands beside it. */
export function UndoEdit({ callId, mark }: { callId: CallId; mark: EditMark }) {
  const t = useT();
  const errorText = useErrorText();
  const { sessionId } = useLink();
  const { undoEdit, redoEdit, putBackMerged } = usePutBack();
  const busy = useSession((session) => session.phase.phase !== 'idle', true);
  const [failures, setFailures] = useState<readonly FileFailure[]>([]);
  const [error, setError] = useState<BackendError | null>(null);
  const [comparing, setComparing] = useState(false);
  const undone = mark.state === 'undone';
  const act = async () => {
    setFailures([]);
    setError(null);
    try {
      const out: FilesPutBack = await (undone ? redoEdit : undoEdit)(sessionId, callId);
      setFailures(out.failures);
    } catch (thrown) {
      setError(toBackendError(thrown));
    }
  };
  const inConflict =
    error?.code === 'UNDO_CONFLICT' || failures.some((failure) => failure.code === 'UNDO_CONFLICT');
  const what = { kind: undone ? ('redo' as const) : ('undo' as const), call_id: callId };
  return (
    <>
      <Button
        testId={undone ? tid('tool-redo') : tid('tool-undo')}
        size="small"
        disabled={busy}
        title={busy ? t('undo.running') : undefined}
        icon={
          undone ? (
            <Redo2 className="icon-small" aria-hidden="true" />
          ) : (
            <Undo2 className="icon-small" aria-hidden="true" />
          )
        }
        onClick={act}
      >
        {undone ? t('undo.redo') : t('undo.edit')}
      </Button>
      {failures.map((failure) => (
        <p
          key={failure.path}
          className="tool-error selectable"
          data-testid={tid('tool-undo-error')}
          data-value={failure.code}
          role="alert"
        >
          {failureText(t, failure)}
        </p>
      ))}
      {error ? (
        <p
          className="tool-error selectable"
          data-testid={tid('tool-undo-error')}
          data-value={error.code}
          role="alert"
        >
          {errorText(error)}
        </p>
      ) : null}
      {inConflict ? (
        <Button
          testId="tool-compare"
          size="small"
          icon={<GitMerge className="icon-small" aria-hidden="true" />}
          onClick={() => {
            setComparing(true);
          }}
        >
          {t('undo.compare')}
        </Button>
      ) : null}
      {comparing ? (
        <ConflictDialog
          what={what}
          confirmText={t(undone ? 'conflict.redo' : 'conflict.undo')}
          onMerge={async (files) => {
            const out = await putBackMerged(sessionId, what, files);
            setComparing(false);
            setError(null);
            setFailures(out.failures);
          }}
          onClose={() => {
            setComparing(false);
          }}
        />
      ) : null}
    </>
  );
}
