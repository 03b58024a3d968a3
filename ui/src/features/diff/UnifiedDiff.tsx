import { useMemo, useState } from 'react';
import type { FileDiff, LineOwner } from '@/bindings';
import { Button, VisibleText } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import { parseUnified, type DiffLine } from './unified';
import './unified.css';

/** Lines shown before the person asks for more, and with each time they do. */
const FIRST_LINES = 400;
const MORE_LINES = 2_000;

const SIGN = { same: '', added: '+', removed: '−', gap: '' } as const;

/** A change that has landed, to read. */
export function UnifiedDiff({ diff, label = diff.display_path }: { diff: FileDiff; label?: string }) {
  const t = useT();
  const [limit, setLimit] = useState(FIRST_LINES);
  const lines = useMemo(() => parseUnified(diff.unified_diff), [diff.unified_diff]);
  const shown = lines.slice(0, limit);
  const rest = lines.length - shown.length;
  return (
    <div
      className="unified"
      data-testid={tid('diff-editor')}
      data-mode="unified"
      data-editable="false"
      data-state="ready"
      data-cell={diff.notebook !== null}
      role="region"
      aria-label={label}
    >
      {lines.length === 0 ? <p className="row-note">{t('diff.none')}</p> : null}
      <div className="unified-scroll" tabIndex={0} role="group" aria-label={label}>
        <DiffLines lines={shown} />
      </div>
      {rest > 0 ? (
        <Button
          testId="diff-more"
          look="quiet"
          size="small"
          onClick={() => {
            setLimit(limit + MORE_LINES);
          }}
        >
          {t('diff.more.some', Math.min(rest, MORE_LINES), rest)}
        </Button>
      ) : null}
    </div>
  );
}

interface LinesProps {
  lines: readonly DiffLine[];
  /** Whose each line is; without it that is not shown. */
  ownerOf?: (line: DiffLine) => LineOwner | null;
}

/** Lines of a diff without a frame of their own. */
export function DiffLines({ lines, ownerOf }: LinesProps) {
  return (
    <div className="unified-lines selectable">
      {lines.map((line, at) => (
        <Line
          key={at}
          line={line}
          owner={ownerOf && line.kind === 'added' ? ownerOf(line) : null}
          marks={ownerOf !== undefined}
        />
      ))}
    </div>
  );
}

/** What stands in the margin of a line. */
const OWNER_MARKS = { ai: 'diff.mark.ai', human: 'diff.mark.human', other: null, base: null } as const;

function Line({ line, owner, marks }: { line: DiffLine; owner: LineOwner | null; marks: boolean }) {
  const t = useT();
  if (line.kind === 'gap') return <div className="unified-gap" aria-hidden="true" />;
  const mark = owner === null ? null : OWNER_MARKS[owner];
  const said =
    line.kind === 'added'
      ? owner === null
        ? t('diff.line.added')
        : t(`diff.line.by.${owner}`)
      : line.kind === 'removed'
        ? t('diff.line.removed')
        : '';
  return (
    <div className="unified-line" data-kind={line.kind} data-owner={owner ?? undefined}>
      {marks ? (
        <span className="unified-owner" aria-hidden="true">
          {mark === null ? '' : t(mark)}
        </span>
      ) : null}
      <span className="unified-number numbers" aria-hidden="true">
        {line.after ?? line.before}
      </span>
      <span className="unified-sign" aria-hidden="true">
        {SIGN[line.kind]}
      </span>
      <span className="unified-text">
        {said === '' ? null : <span className="visually-hidden">{said}: </span>}
        {line.text === '' ? '\n' : <VisibleText text={line.text} />}
        {line.noEnd ? <span className="no-line-end">{t('file.noend')}</span> : null}
      </span>
    </div>
  );
}
