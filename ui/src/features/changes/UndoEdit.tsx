import { Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { CallId, EditMark, FileFailure, FilesPutBack } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useErrorText, useLink, useSession } from '@/state';
import { tid } from '@/testids';
import { failureText, usePutBack } from './usePutBack';

/** Takes back what a call did to a file, or does it again; why that did not work stands beside it. */
export function UndoEdit({ callId, mark }: { callId: CallId; mark: EditMark }) {
  const t = useT();
  const errorText = useErrorText();
  const { sessionId } = useLink();
  const { undoEdit, redoEdit } = usePutBack();
  const busy = useSession((session) => session.phase.phase !== 'idle', true);
  const [failures, setFailures] = useState<readonly FileFailure[]>([]);
  const [error, setError] = useState<BackendError | null>(null);
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
    </>
  );
}
