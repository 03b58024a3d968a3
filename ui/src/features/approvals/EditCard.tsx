import type { ReactNode } from 'react';
import type { Ask } from '@/bindings';
import { Button } from '@/components';
import { LiveStat } from '@/features/diff';
import { useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { useWorkbench } from '@/state';
import { CardButtons } from './CardButtons';
import { CardFrame } from './CardFrame';
import { EditBody, isEditable } from './EditBody';
import { tooLarge } from './limits';
import { OpenOutside, OutsideNote } from './Outside';
import { fileDiffOf } from './proposals';
import { ToldModel } from './ToldModel';
import { useEditCard } from './useEditCard';

/** A change of a file: what it was, what it would be, editable before it lands. */
export function EditCard({ ask, counter }: { ask: Ask; counter: ReactNode }) {
  const t = useT();
  const { ui } = useWorkbench();
  const { confirmation, feedback, editor, actions } = useEditCard(ask);
  const { proposal } = confirmation;
  const diff = fileDiffOf(ask);
  if (!diff || !proposal) return null;
  const large = tooLarge(diff) !== null;
  const expand = () => {
    ui.setState({ route: { name: 'review', callId: ask.call_id } });
  };
  return (
    <CardFrame
      confirmation={confirmation}
      counter={counter}
      subject={diff.display_path}
      actions={large ? actions : { ...actions, expand }}
      aside={
        <>
          <LiveStat proposal={proposal} />
          {isEditable(confirmation, diff) ? <OpenOutside proposal={proposal} look="icon" /> : null}
        </>
      }
      footer={
        <>
          {confirmation.state === 'stale' ? null : <OutsideNote proposal={proposal} />}
          {confirmation.state === 'stale' ? null : <ToldModel proposal={proposal} />}
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
      <EditBody
        confirmation={confirmation}
        diff={diff}
        editor={editor}
        layout={{ mode: 'suggested', bars: 'over', wrap: 'wrap', blanks: 'changed' }}
      />
    </CardFrame>
  );
}
