import { useRef, type KeyboardEvent } from 'react';
import type { ChangedFile } from '@/bindings';
import { VisibleText } from '@/components';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { tid } from '@/testids';
import { OwnerCounts } from './OwnerCounts';

interface Props {
  files: readonly ChangedFile[];
  chosen: string | null;
  onChoose: (path: string) => void;
}

/** `data-kind` of a row. */
function kindOf(file: ChangedFile): string {
  if (file.binary) return 'binary';
  return file.status === 'untracked' ? 'added' : file.status;
}

/** The files that changed, each with whose lines came and went. */
export function FileList({ files, chosen, onChoose }: Props) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const at = files.findIndex((file) => file.path === chosen);
  const go = (to: number) => {
    const place = Math.min(files.length - 1, Math.max(0, to));
    const file = files[place];
    if (!file) return;
    onChoose(file.path);
    list.current?.querySelectorAll<HTMLElement>('[role="option"]')[place]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves = [
      ['listUp', at - 1],
      ['listDown', at + 1],
      ['listFirst', 0],
      ['listLast', files.length - 1],
    ] as const;
    const move = moves.find(([name]) => isKey(event, name));
    if (!move) return;
    event.preventDefault();
    go(move[1]);
  };
  return (
    <div className="wsdiff-files" role="listbox" aria-label={t('wsdiff.list')} ref={list} tabIndex={-1}>
      {files.map((file, place) => (
        <div
          key={file.path}
          role="option"
          className="wsdiff-file"
          tabIndex={place === Math.max(0, at) ? 0 : -1}
          aria-selected={file.path === chosen}
          data-testid={tid('wsdiff-file')}
          data-key={file.display_path}
          data-kind={kindOf(file)}
          onClick={() => {
            onChoose(file.path);
          }}
          onKeyDown={(event) => {
            if (isKey(event, 'listOpen')) onChoose(file.path);
            else onKeyDown(event);
          }}
        >
          <code className="wsdiff-path">
            <VisibleText text={file.display_path} />
          </code>
          <span className="wsdiff-facts">
            <span className="wsdiff-status">{t(`wsdiff.status.${file.status}`)}</span>
            {file.old_path === null ? null : (
              <span className="wsdiff-old">
                <VisibleText text={t('wsdiff.renamed', file.old_path)} />
              </span>
            )}
            {file.binary ? <span>{t('wsdiff.binary')}</span> : null}
            {file.too_large ? <span>{t('wsdiff.toolarge')}</span> : null}
            <OwnerCounts ai={file.ai} you={file.you} other={file.other} />
          </span>
        </div>
      ))}
    </div>
  );
}
