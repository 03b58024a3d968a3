import { useRef, useState } from 'react';
import { newOp, toBackendError, type BackendError } from '@/backend';
import type { ChangedFile, LineOwner, SessionId, WorkspaceFileDiff } from '@/bindings';
import { Button, Dialog } from '@/components';
import { hunksOfUnified, ownersByLine } from '@/features/diff';
import { useT, type Translate } from '@/i18n';
import { useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';
import type { RevertWhat } from './FileView';
import type { Place } from './scope';
import { usePutBack } from './usePutBack';

interface Props {
  place: Place & { sessionId: SessionId };
  file: ChangedFile;
  change: WorkspaceFileDiff;
  what: RevertWhat;
  onClose: (done: boolean) => void;
}

/** Says what goes before it goes. */
export function RevertDialog({ place, file, change, what, onClose }: Props) {
  const t = useT();
  const errorText = useErrorText();
  const { backend } = useWorkbench();
  const { tell } = usePutBack();
  const [error, setError] = useState<BackendError | null>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const revert = async () => {
    setError(null);
    try {
      const out = await backend.call('revert_file', {
        op: newOp(),
        workspace: place.workspace,
        session_id: place.sessionId,
        scope: place.scope,
        path: file.path,
        hunk: what.kind === 'hunk' ? what.at : null,
        current_hash: change.current_hash,
      });
      tell(place.sessionId, out, 'undo.done');
      onClose(true);
    } catch (thrown) {
      setError(toBackendError(thrown));
    }
  };
  const title =
    what.kind === 'hunk' ? t('revert.title.hunk', file.display_path) : t('revert.title', file.display_path);
  return (
    <Dialog
      open
      title={title}
      closeTestId="revert-close"
      initialFocus={cancel}
      onClose={() => {
        onClose(false);
      }}
      footer={
        <>
          <Button
            testId="revert-cancel"
            size="large"
            ref={cancel}
            onClick={() => {
              onClose(false);
            }}
          >
            {t('common.cancel')}
          </Button>
          <Button testId="revert-confirm" size="large" look="danger" onClick={revert}>
            {t('revert.do')}
          </Button>
        </>
      }
    >
      <p>{t('revert.lost')}</p>
      <ul className="revert-lost" data-testid={tid('revert-lost')}>
        {lost(t, file, change, what).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {what.kind === 'file' && change.diff.is_new ? <p>{t('revert.deletes')}</p> : null}
      {what.kind === 'file' && change.is_deleted ? <p>{t('revert.restores')}</p> : null}
      <p className="muted">{t('revert.kept')}</p>
      {error ? (
        <p className="confirm-error selectable" role="alert">
          {errorText(error)}
        </p>
      ) : null}
    </Dialog>
  );
}

/** What goes. Of one change it is known whose the lines are that came; those that went just come back. */
function lost(t: Translate, file: ChangedFile, change: WorkspaceFileDiff, what: RevertWhat): string[] {
  const lines = what.kind === 'file' ? lostOfFile(t, file) : lostOfHunk(t, change, what.at);
  return lines.length === 0 ? [t('diff.none')] : lines;
}

function lostOfFile(t: Translate, { ai, you, other }: ChangedFile): string[] {
  const counts = { ai, human: you, other };
  return OWNERS.filter((who) => counts[who].added + counts[who].removed > 0).map((who) =>
    t(`revert.lost.${who}`, counts[who].added, counts[who].removed),
  );
}

function lostOfHunk(t: Translate, change: WorkspaceFileDiff, at: number): string[] {
  const lines = hunksOfUnified(change.diff.unified_diff)[at] ?? [];
  const ownerOf = ownersByLine(change.owners);
  const added = lines.filter((line) => line.kind === 'added');
  const back = lines.filter((line) => line.kind === 'removed').length;
  const goes = OWNERS.flatMap((who) => {
    const count = added.filter((line) => ownerIn(ownerOf(line)) === who).length;
    return count > 0 ? [t(`revert.goes.${who}`, count)] : [];
  });
  return back > 0 ? [...goes, t('revert.back', back)] : goes;
}

const OWNERS = ['ai', 'human', 'other'] as const;

function ownerIn(owner: LineOwner | null): (typeof OWNERS)[number] {
  return owner === 'ai' || owner === 'human' ? owner : 'other';
}
