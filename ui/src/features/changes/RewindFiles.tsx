import type { RewindFile } from '@/bindings';
import { VisibleText } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import type { RewindChoice } from './useRewind';

interface Props {
  files: readonly RewindFile[];
  choice: RewindChoice;
}

/** What becomes of each file. One that somebody else changed goes back only if the person says so. */
export function RewindFiles({ files, choice }: Props) {
  const t = useT();
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
            <label
              className="rewind-file"
              data-testid={tid('rewind-file')}
              data-key={file.display_path}
              data-state={file.action}
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
              <span className="rewind-action">{t(`rewind.action.${file.action}`)}</span>
              <span className="numbers">
                {file.action === 'cannot' ? null : t('stat.counts', file.added, file.removed)}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p className="muted">{t('rewind.shells')}</p>
    </>
  );
}
