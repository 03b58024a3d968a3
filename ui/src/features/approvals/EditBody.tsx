import { useState, type RefObject } from 'react';
import type { FileDiff } from '@/bindings';
import {
  NotebookSwitch,
  UnifiedDiff,
  type DiffEditorHandle,
  type DiffEditorProps,
  type NotebookView,
} from '@/features/diff';
import { formatBytes, useT } from '@/i18n';
import { tid } from '@/testids';
import { EditorOnceLoaded } from './EditorOnceLoaded';
import { prefersSplit, tooLarge } from './limits';
import type { Confirmation } from './useConfirmation';

interface Props {
  confirmation: Confirmation;
  diff: FileDiff;
  editor: RefObject<DiffEditorHandle | null>;
  layout: Pick<DiffEditorProps, 'bars' | 'wrap' | 'blanks'> & { mode: DiffEditorProps['mode'] | 'suggested' };
}

/** Whether the person may change the proposal. */
export function isEditable({ ask, state }: Confirmation, diff: FileDiff): boolean {
  return ask.modifiable && tooLarge(diff) === null && ask.state === 'open' && state !== 'submitting';
}

/** The change itself: facts about the file, and the text in an editor, or why there is none. */
export function EditBody({ confirmation, diff, editor, layout }: Props) {
  const t = useT();
  const [view, setView] = useState<NotebookView>('source');
  const { ask, proposal } = confirmation;
  const { notebook } = diff;
  const large = tooLarge(diff);
  if (!proposal) return null;
  const mode = layout.mode === 'suggested' ? (prefersSplit(diff) ? 'split' : 'unified') : layout.mode;
  return (
    <>
      <FileFacts confirmation={confirmation} diff={diff} />
      {notebook ? <NotebookSwitch notebook={notebook} view={view} onChange={setView} /> : null}
      {notebook && view === 'raw' && confirmation.dirty ? (
        <p className="confirm-note">{t('notebook.raw.ai')}</p>
      ) : null}
      {notebook && view === 'raw' ? (
        <UnifiedDiff
          diff={{ ...diff, unified_diff: notebook.raw_diff }}
          label={t('notebook.raw', diff.display_path)}
        />
      ) : large ? (
        <>
          <p className="confirm-facts" data-testid={tid('diff-limit-note')} data-value={large.why}>
            {large.why === 'size'
              ? t('diff.toolarge.size')
              : t('diff.toolarge.lines', large.lines, large.limit)}
          </p>
          <UnifiedDiff diff={diff} />
        </>
      ) : (
        <EditorOnceLoaded
          ref={editor}
          proposal={proposal}
          name={ask.call_id}
          editable={isEditable(confirmation, diff) ? 'editable' : 'fixed'}
          mode={mode}
          bars={layout.bars}
          wrap={layout.wrap}
          blanks={layout.blanks}
        />
      )}
    </>
  );
}

/** Size of what is written whole, and what of the file cannot be seen in its text. */
function FileFacts({ confirmation, diff }: Pick<Props, 'confirmation' | 'diff'>) {
  const t = useT();
  const { ask, proposal } = confirmation;
  const facts: string[] = [];
  if (ask.preview.kind === 'write' && proposal && diff.new_text !== null)
    facts.push(t('confirm.size', formatBytes(utf8Bytes(proposal.ai)), countLines(proposal.ai)));
  if (diff.bom) facts.push(t('file.bom'));
  if (diff.eol === 'crlf') facts.push(t('file.eol.crlf'));
  if (facts.length === 0) return null;
  return (
    <p className="confirm-facts numbers">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
