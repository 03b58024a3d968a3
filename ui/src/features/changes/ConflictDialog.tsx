import { useRef, useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { Conflicts, PutBackWhat, RewindChoice } from '@/bindings';
import { Button, Dialog, Empty, Failure, Loading } from '@/components';
import { useT } from '@/i18n';
import { useErrorText, useLink, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { ConflictFile } from './ConflictFile';
import { useLatest } from './useLatest';
import './conflict.css';

interface Props {
  what: PutBackWhat;
  /** The only file to look at; all that are in conflict without it. */
  path?: string;
  confirmText: string;
  /** Takes what was shown; closes by itself. */
  onMerge: (files: RewindChoice[]) => Promise<void>;
  onClose: () => void;
}

/** Shows files that are in the way of taking something back, and merges them if the person wants that. */
export function ConflictDialog({ what, path, confirmText, onMerge, onClose }: Props) {
  const t = useT();
  const { sessionId } = useLink();
  const { backend } = useWorkbench();
  const [error, setError] = useState<BackendError | null>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const {
    value,
    error: failed,
    again,
  } = useLatest(JSON.stringify([what, path]), '', () =>
    backend.call('undo_conflict', { session_id: sessionId, what, path: path ?? null }),
  );
  const merges = value ? mergesOf(value) : null;
  const merge = async (files: RewindChoice[]) => {
    setError(null);
    try {
      await onMerge(files);
    } catch (thrown) {
      setError(toBackendError(thrown));
    }
  };
  return (
    <Dialog
      open
      title={t('conflict.title')}
      closeTestId="conflict-close"
      initialFocus={cancel}
      onClose={onClose}
      footer={
        <>
          <Button testId="conflict-cancel" size="large" ref={cancel} onClick={onClose}>
            {t('conflict.keep')}
          </Button>
          {merges ? (
            <Button testId="conflict-merge" size="large" look="primary" onClick={() => merge(merges)}>
              {confirmText}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="conflict" data-testid={tid('conflict-dialog')} data-count={value?.files.length}>
        {value ? (
          <>
            {value.files.length === 0 ? <Empty title={t('conflict.none')} /> : null}
            {value.files.map((file) => (
              <ConflictFile key={file.path} file={file} />
            ))}
          </>
        ) : failed ? (
          <FailedLook error={failed} again={again} />
        ) : (
          <Loading text={t('conflict.loading')} lines={3} />
        )}
        {error ? <FailedLook error={error} again={again} /> : null}
      </div>
    </Dialog>
  );
}

function FailedLook({ error, again }: { error: BackendError; again: () => void }) {
  const t = useT();
  const errorText = useErrorText();
  return (
    <Failure title={errorText(error)}>
      <Button testId="conflict-again" onClick={again}>
        {t('common.again')}
      </Button>
    </Failure>
  );
}

/** What the person says yes to; `null` unless every file can be merged. */
function mergesOf({ files }: Conflicts): RewindChoice[] | null {
  const merges = files.flatMap(({ path, current_hash, merge }) =>
    merge ? [{ path, current_hash, merged_hash: merge.hash }] : [],
  );
  return merges.length > 0 && merges.length === files.length ? merges : null;
}
