import { useState } from 'react';
import type { RewindFile } from '@/bindings';
import { Button, VisibleText } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import { ConflictDialog } from './ConflictDialog';
import type { RewindChoice } from './useRewind';

interface Props {
  /** The message that is gone back to before. */
  seq: number;
  files: readonly RewindFile[];
  choice: RewindChoice;
}

/** What becomes of each file. One that somebody else changed goes back only if the person says so. */
export function RewindFiles({ seq, files, choice }: Props) {
  const t = useT();
  const [comparing, setComparing] = useState<string | null>(null);
  return (
    <>
      <p className="numbers">
        {files.length === 0
          ? t('rewind.nofiles')
          : t('rewind.chosen', files.filter((file) => choice.paths.has(file.path)).length, files.length)}
      </p>
      <ul className="rewind-files">
        {files.map((file) => (
          <li key={file.path}>
            <File file={file} choice={choice} />
            {file.action === 'conflict' ? (
              <Button
                testId="rewind-compare"
                data-key={file.display_path}
                size="small"
                look="link"
                onClick={() => {
                  setComparing(file.path);
                }}
              >
                {t('undo.compare')}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      <p className="muted">{t('rewind.shells')}</p>
      {comparing === null ? null : (
        <ConflictDialog
          what={{ kind: 'rewind', seq }}
          path={comparing}
          confirmText={t('conflict.choose')}
          onMerge={(merges) => {
            merges.forEach(choice.merge);
            setComparing(null);
            return Promise.resolve();
          }}
          onClose={() => {
            setComparing(null);
          }}
        />
      )}
    </>
  );
}

function File({ file, choice }: { file: RewindFile; choice: RewindChoice }) {
  const t = useT();
  const action = choice.merged.has(file.path) ? 'merge' : file.action;
  return (
    <label
      className="rewind-file"
      data-testid={tid('rewind-file')}
      data-key={file.display_path}
      data-state={action}
    >
      <input
        type="checkbox"
        data-testid={tid('rewind-file-on')}
        data-key={file.display_path}
        checked={choice.paths.has(file.path)}
        disabled={file.action === 'cannot'}
        onChange={() => {
          choice.toggle(file.path);
        }}
      />
      <code className="rewind-path">
        <VisibleText text={file.display_path} />
      </code>
      <span className="rewind-action">{t(`rewind.action.${action}`)}</span>
      <span className="numbers">
        {action === 'cannot' || action === 'merge' ? null : t('stat.counts', file.added, file.removed)}
      </span>
    </label>
  );
}
