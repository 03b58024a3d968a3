import { GitMerge } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { FileFailure, FilesPutBack, PutBackWhat, RewindChoice } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useErrorText, useSession } from '@/state';
import { tid } from '@/testids';
import { ConflictDialog } from './ConflictDialog';
import { failureText } from './usePutBack';

interface Props {
  what: PutBackWhat;
  run: () => Promise<FilesPutBack>;
  runMerged: (files: RewindChoice[]) => Promise<FilesPutBack>;
  mergeText: string;
  /** The button; a title says why it cannot be pressed. */
  children: (act: () => Promise<void>, busy: boolean, title: string | undefined) => ReactNode;
}

/** Puts files back by a button; why that did not work stands beside it, with a way to compare and merge. */
export function PutBack({ what, run, runMerged, mergeText, children }: Props) {
  const t = useT();
  const errorText = useErrorText();
  const busy = useSession((session) => session.phase.phase !== 'idle', true);
  const [failures, setFailures] = useState<readonly FileFailure[]>([]);
  const [error, setError] = useState<BackendError | null>(null);
  const [comparing, setComparing] = useState(false);
  const act = async () => {
    setFailures([]);
    setError(null);
    try {
      setFailures((await run()).failures);
    } catch (thrown) {
      setError(toBackendError(thrown));
    }
  };
  const problems = [
    ...failures.map((failure) => ({ key: failure.path, code: failure.code, text: failureText(t, failure) })),
    ...(error ? [{ key: '', code: error.code, text: errorText(error) }] : []),
  ];
  return (
    <>
      {children(act, busy, busy ? t('undo.running') : undefined)}
      {problems.map(({ key, code, text }) => (
        <p
          key={key}
          className="tool-error selectable"
          data-testid={tid('tool-undo-error')}
          data-value={code}
          role="alert"
        >
          {text}
        </p>
      ))}
      {problems.some(({ code }) => code === 'UNDO_CONFLICT') ? (
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
          confirmText={mergeText}
          onMerge={async (files) => {
            const out = await runMerged(files);
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
