import { Copy, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ChangedFile, WorkspaceFileDiff } from '@/bindings';
import { Button, Empty, Failure, Loading, VisibleText } from '@/components';
import { DiffLines, hunksOfUnified, ownersByLine } from '@/features/diff';
import { useT } from '@/i18n';
import { useCopy } from '@/lib/useCopy';
import { useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { CutNotes } from './CutNotes';
import { OpenFile } from './OpenFile';
import { RevertDialog } from './RevertDialog';
import { placeKey, type Place } from './scope';
import { useLatest } from './useLatest';

interface Props {
  place: Place;
  file: ChangedFile;
  /** Changes when the list was looked for again. */
  round: number;
  onReverted: () => void;
}

/** What is to be reverted: the file, or one change of it. */
export type RevertWhat = { kind: 'file' } | { kind: 'hunk'; at: number };

/** The change of one file, read only, with whose line each is. */
export function FileView({ place, file, round, onReverted }: Props) {
  const t = useT();
  const errorText = useErrorText();
  const { backend } = useWorkbench();
  const [copied, copy] = useCopy();
  const [reverting, setReverting] = useState<RevertWhat | null>(null);
  const { value, error, again } = useLatest(`${placeKey(place)}:${file.path}`, String(round), () =>
    backend.call('workspace_file_diff', {
      workspace: place.workspace,
      session_id: place.sessionId,
      scope: place.scope,
      path: file.path,
    }),
  );
  const canRevert = place.sessionId !== null;
  return (
    <>
      <header className="wsdiff-file-head">
        <h2 className="wsdiff-file-title selectable">
          <VisibleText text={file.display_path} />
        </h2>
        <Button
          testId="wsdiff-copy"
          size="small"
          icon={<Copy className="icon-small" aria-hidden="true" />}
          onClick={() => {
            copy(file.path);
          }}
        >
          {copied ? t('wsdiff.copied') : t('wsdiff.copy')}
        </Button>
        {file.status === 'deleted' ? null : <OpenFile path={file.path} />}
        <Button
          testId="wsdiff-revert"
          size="small"
          look="danger"
          disabled={!canRevert || value === null}
          title={canRevert ? undefined : t('wsdiff.revert.nosession')}
          icon={<Undo2 className="icon-small" aria-hidden="true" />}
          onClick={() => {
            setReverting({ kind: 'file' });
          }}
        >
          {t('wsdiff.revert')}
        </Button>
      </header>
      {value ? (
        <FileChange
          change={value}
          canRevert={canRevert}
          onRevert={(at) => {
            setReverting({ kind: 'hunk', at });
          }}
        />
      ) : error ? (
        <Failure title={t('wsdiff.error')} text={errorText(error)}>
          <Button testId="wsdiff-again" size="small" onClick={again}>
            {t('common.again')}
          </Button>
        </Failure>
      ) : (
        <Loading text={t('diff.loading')} lines={3} />
      )}
      {reverting && value && place.sessionId !== null ? (
        <RevertDialog
          place={{ ...place, sessionId: place.sessionId }}
          file={file}
          change={value}
          what={reverting}
          onClose={(done) => {
            setReverting(null);
            if (done) onReverted();
          }}
        />
      ) : null}
    </>
  );
}

interface ChangeProps {
  change: WorkspaceFileDiff;
  canRevert: boolean;
  onRevert: (at: number) => void;
}

function FileChange({ change, canRevert, onRevert }: ChangeProps) {
  const t = useT();
  if (change.binary) return <Empty title={t('wsdiff.binary.text')} />;
  if (change.too_large) return <Empty title={t('wsdiff.toolarge.text')} />;
  const hunks = hunksOfUnified(change.diff.unified_diff);
  const owners = ownersByLine(change.owners);
  return (
    <div
      className="wsdiff-change"
      data-testid={tid('diff-editor')}
      data-mode="unified"
      data-editable="false"
      data-state="ready"
      role="region"
      tabIndex={0}
      aria-label={change.diff.display_path}
    >
      {hunks.length === 0 ? <p className="row-note">{t('diff.none')}</p> : null}
      {hunks.map((lines, at) => (
        <div key={at} className="wsdiff-hunk">
          <div className="wsdiff-hunk-head">
            <span className="numbers">{t('wsdiff.hunk', at + 1, hunks.length)}</span>
            {canRevert ? (
              <Button
                testId="wsdiff-revert-hunk"
                data-key={at}
                size="small"
                look="quiet"
                onClick={() => {
                  onRevert(at);
                }}
              >
                {t('wsdiff.revert.hunk')}
              </Button>
            ) : null}
          </div>
          <DiffLines lines={lines} ownerOf={owners} />
        </div>
      ))}
      <CutNotes notes={change.cut} />
    </div>
  );
}
