import { lazy, Suspense, type ReactNode } from 'react';
import type { Ask } from '@/bindings';
import { Button, Loading } from '@/components';
import { LiveStat, UnifiedDiff } from '@/features/diff';
import { formatBytes, useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { useWorkbench } from '@/state';
import { tid } from '@/testids';
import { CardButtons } from './CardButtons';
import { CardFrame } from './CardFrame';
import { isTooLarge, prefersSplit } from './limits';
import { fileDiffOf } from './proposals';
import { ToldModel } from './ToldModel';
import { useEditCard } from './useEditCard';

const DiffEditor = lazy(() => import('@/features/diff/DiffEditor'));

/** A change of a file: what it was, what it would be, editable before it lands. */
export function EditCard({ ask, counter }: { ask: Ask; counter: ReactNode }) {
  const t = useT();
  const { ui } = useWorkbench();
  const { confirmation, feedback, editor, actions } = useEditCard(ask);
  const { proposal } = confirmation;
  const diff = fileDiffOf(ask);
  if (!diff || !proposal) return null;
  const large = isTooLarge(diff);
  const editable = ask.modifiable && !large && ask.state === 'open' && confirmation.state !== 'submitting';
  const expand = () => {
    ui.setState({ route: { name: 'review', callId: ask.call_id } });
  };
  return (
    <CardFrame
      confirmation={confirmation}
      counter={counter}
      subject={diff.display_path}
      actions={large ? actions : { ...actions, expand }}
      aside={<LiveStat proposal={proposal} />}
      footer={
        <>
          <ToldModel proposal={proposal} />
          <CardButtons confirmation={confirmation} feedback={feedback}>
            {large ? null : (
              <Button testId="confirm-expand" size="large" keyHint={keyLabel('expand')} onClick={expand}>
                {t('confirm.expand')}
              </Button>
            )}
            {confirmation.dirty ? (
              <Button testId="confirm-reset-edits" size="large" onClick={() => editor.current?.undoEdits()}>
                {t('confirm.undo')}
              </Button>
            ) : large ? null : (
              <Button
                testId="diff-next"
                size="large"
                keyHint={keyLabel('nextChange')}
                onClick={() => editor.current?.next()}
              >
                {t('confirm.nextchange')}
              </Button>
            )}
          </CardButtons>
        </>
      }
    >
      {ask.preview.kind === 'write' ? (
        <p className="confirm-facts numbers">
          {t('confirm.size', formatBytes(proposal.ai.length), countLines(proposal.ai))}
        </p>
      ) : null}
      {large ? (
        <>
          <p className="confirm-facts" data-testid={tid('diff-limit-note')}>
            {t('diff.toolarge')}
          </p>
          <UnifiedDiff diff={diff} />
        </>
      ) : (
        <Suspense fallback={<Loading text={t('diff.loading')} lines={2} />}>
          <DiffEditor
            ref={editor}
            proposal={proposal}
            name={ask.call_id}
            editable={editable ? 'editable' : 'fixed'}
            mode={prefersSplit(diff) ? 'split' : 'unified'}
            bars="over"
            wrap="wrap"
            blanks="changed"
          />
        </Suspense>
      )}
    </CardFrame>
  );
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
