import { Copy } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ConflictSide, FileConflict } from '@/bindings';
import { Button, Segmented, VisibleText } from '@/components';
import { DiffLines, UnifiedDiff, type DiffLine } from '@/features/diff';
import { useT } from '@/i18n';
import { useCopy } from '@/lib/useCopy';
import { tid } from '@/testids';
import { SIDES, threeWay, type SideName } from './threeWay';

/** Lines of one content that are shown before the person asks for more. */
const FIRST_LINES = 400;

/** One file in conflict: what merging would write, and its three contents side by side. */
export function ConflictFile({ file }: { file: FileConflict }) {
  const t = useT();
  const [view, setView] = useState<'merge' | 'versions'>(file.merge ? 'merge' : 'versions');
  return (
    <section
      className="conflict-file"
      data-testid={tid('conflict-file')}
      data-key={file.display_path}
      data-value={file.problem ?? 'merge'}
    >
      <h3 className="conflict-path selectable">
        <VisibleText text={file.display_path} />
      </h3>
      <p data-testid={tid('conflict-problem')} data-value={file.problem ?? ''}>
        {file.problem === null ? t('conflict.merge.note') : t(`conflict.problem.${file.problem}`)}
      </p>
      {file.merge ? (
        <Segmented
          testId="conflict-view"
          label={t('conflict.view')}
          value={view}
          options={[
            { value: 'merge', label: t('conflict.view.merge') },
            { value: 'versions', label: t('conflict.view.versions') },
          ]}
          onChange={setView}
        />
      ) : null}
      {file.merge && view === 'merge' ? (
        <UnifiedDiff diff={file.merge.diff} label={t('conflict.diff', file.display_path)} />
      ) : (
        <Versions file={file} />
      )}
    </section>
  );
}

function Versions({ file }: { file: FileConflict }) {
  const lines = useMemo(() => threeWay(file), [file]);
  return (
    <div className="conflict-sides">
      {SIDES.map((name) => (
        <Side key={name} name={name} side={file[name]} lines={lines[name]} />
      ))}
    </div>
  );
}

function Side({ name, side, lines }: { name: SideName; side: ConflictSide; lines: readonly DiffLine[] }) {
  const t = useT();
  const [copied, copy] = useCopy();
  const [limit, setLimit] = useState(FIRST_LINES);
  const title = t(`conflict.side.${name}`);
  const rest = lines.length - limit;
  return (
    <section
      className="conflict-side"
      data-testid={tid('conflict-side')}
      data-key={name}
      data-state={side.state}
      aria-label={title}
    >
      <header className="conflict-side-head">
        <h4>{title}</h4>
        {side.state === 'text' ? (
          <Button
            testId="conflict-copy"
            data-key={name}
            size="small"
            look="quiet"
            icon={<Copy className="icon-small" aria-hidden="true" />}
            onClick={() => {
              copy(side.text);
            }}
          >
            {copied ? t('wsdiff.copied') : t('conflict.copy')}
          </Button>
        ) : null}
      </header>
      {side.state === 'text' ? (
        <div className="conflict-lines" tabIndex={0} role="group" aria-label={title}>
          {lines.length === 0 ? <p className="row-note">{t('conflict.same')}</p> : null}
          <DiffLines lines={lines.slice(0, limit)} />
          {rest > 0 ? (
            <Button
              testId="diff-more"
              look="quiet"
              size="small"
              onClick={() => {
                setLimit(lines.length);
              }}
            >
              {t('diff.more.some', rest, rest)}
            </Button>
          ) : null}
        </div>
      ) : (
        <p className="row-note">{t(`conflict.side.state.${side.state}`)}</p>
      )}
    </section>
  );
}
