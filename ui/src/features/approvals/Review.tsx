import { ArrowDown, ArrowUp, ChevronLeft } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { Ask, CallId } from '@/bindings';
import { Button, IconButton, Loading, Segmented, Toggle } from '@/components';
import { LiveStat, type Proposal } from '@/features/diff';
import { useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { focusComposer, focusFirstConfirmation } from '@/lib/focus';
import { useSession, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { CardButtons } from './CardButtons';
import { CardFrame } from './CardFrame';
import { EditBody, isEditable } from './EditBody';
import { prefersSplit, tooLarge } from './limits';
import { OpenOutside, OutsideNote } from './Outside';
import { fileDiffOf } from './proposals';
import { ToldModel } from './ToldModel';
import { useEditCard } from './useEditCard';
import './dock.css';
import './review.css';

/** Below this width two columns are too narrow to read. */
const SPLIT_MIN_PX = 900;

/** A change with the whole main region to itself. */
export default function Review({ callId }: { callId: CallId }) {
  const { ui } = useWorkbench();
  const ask = useSession((session) => session.asks.find((open) => open.call_id === callId) ?? null, null);
  const diff = ask ? fileDiffOf(ask) : null;
  const gone = !ask || !diff || tooLarge(diff) !== null;
  useEffect(() => {
    // Answered, here or elsewhere: back to the transcript, where the result stands.
    if (gone) ui.setState({ route: { name: 'chat' } });
  }, [gone, ui]);
  return gone ? <Loading /> : <ReviewOf key={ask.proposal_id} ask={ask} />;
}

function ReviewOf({ ask }: { ask: Ask }) {
  const t = useT();
  const { ui } = useWorkbench();
  const { confirmation, feedback, editor, actions } = useEditCard(ask);
  const { proposal } = confirmation;
  const diff = fileDiffOf(ask);
  const view = useReviewView(diff !== null && prefersSplit(diff));
  const back = () => {
    ui.setState({ route: { name: 'chat' } });
    requestAnimationFrame(() => {
      if (!focusFirstConfirmation()) focusComposer();
    });
  };
  if (!diff || !proposal) return null;
  const editable = isEditable(confirmation, diff);
  return (
    <section
      className="review"
      data-testid={tid('review-pane')}
      data-region="dock"
      aria-label={t('review.region')}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) back();
      }}
    >
      <div className="review-bar">
        <Button
          testId="review-back"
          look="link"
          icon={<ChevronLeft className="icon-small" aria-hidden="true" />}
          onClick={back}
        >
          {t('review.back')}
        </Button>
        <h1 className="review-title truncate">{t('review.title', diff.display_path)}</h1>
        <span className="confirm-space" />
        <IconButton
          testId="diff-prev"
          label={`${t('diff.prev')} (${keyLabel('previousChange')})`}
          icon={<ArrowUp className="icon-small" aria-hidden="true" />}
          onClick={() => editor.current?.previous()}
        />
        <IconButton
          testId="diff-next"
          label={`${t('confirm.nextchange')} (${keyLabel('nextChange')})`}
          icon={<ArrowDown className="icon-small" aria-hidden="true" />}
          onClick={() => editor.current?.next()}
        />
        <Segmented
          testId="review-mode"
          label={t('review.mode')}
          value={view.mode}
          options={[
            { value: 'unified', label: t('review.unified') },
            { value: 'split', label: t('review.split') },
          ]}
          onChange={view.setMode}
        />
        <Toggle testId="review-wrap" label={t('review.wrap')} on={view.wrap} onToggle={view.toggleWrap} />
        <Toggle
          testId="review-space"
          label={t('review.space')}
          on={view.blanks}
          onToggle={view.toggleBlanks}
        />
        <LiveStat proposal={proposal} />
      </div>
      <CardFrame
        confirmation={confirmation}
        counter={null}
        subject={diff.display_path}
        actions={actions}
        footer={
          <ReviewFooter
            confirmation={confirmation}
            feedback={feedback}
            proposal={proposal}
            editable={editable}
            onUndo={() => editor.current?.undoEdits()}
          />
        }
      >
        {view.mode === 'split' ? (
          <div className="review-sides">
            <span>{t('review.before')}</span>
            <span>{editable ? t('review.after') : t('review.after.fixed')}</span>
          </div>
        ) : null}
        <EditBody
          confirmation={confirmation}
          diff={diff}
          editor={editor}
          layout={{
            mode: view.mode,
            bars: 'below',
            wrap: view.wrap ? 'wrap' : 'scroll',
            blanks: view.blanks ? 'all' : 'changed',
          }}
        />
      </CardFrame>
    </section>
  );
}

interface FooterProps {
  confirmation: Parameters<typeof CardButtons>[0]['confirmation'];
  feedback: Parameters<typeof CardButtons>[0]['feedback'];
  proposal: Proposal;
  editable: boolean;
  onUndo: () => void;
}

function ReviewFooter({ confirmation, feedback, proposal, editable, onUndo }: FooterProps) {
  const t = useT();
  const isDirty = useStore(proposal.store, (state) => state.text !== proposal.ai);
  return (
    <>
      {confirmation.state === 'stale' ? null : <OutsideNote proposal={proposal} />}
      {confirmation.state === 'stale' ? null : <ToldModel proposal={proposal} />}
      <CardButtons confirmation={confirmation} feedback={feedback}>
        <Button testId="confirm-reset-edits" size="large" disabled={!isDirty} onClick={onUndo}>
          {t('confirm.undo')}
        </Button>
        {editable ? <OpenOutside proposal={proposal} look="words" /> : null}
      </CardButtons>
    </>
  );
}

function onResize(changed: () => void): () => void {
  window.addEventListener('resize', changed);
  return () => {
    window.removeEventListener('resize', changed);
  };
}

function useReviewView(wantsSplit: boolean) {
  const wide = useSyncExternalStore(onResize, () => window.innerWidth >= SPLIT_MIN_PX);
  const { ui } = useWorkbench();
  const remembered = useUi((state) => state.reviewMode) ?? 'unified';
  const [chosen, setChosen] = useState<'unified' | 'split' | null>(null);
  // A rewrite in one column is slow and hard to read: that is a choice for this one change.
  const mode = chosen ?? (wantsSplit ? 'split' : remembered);
  const [wrap, setWrap] = useState(true);
  const [blanks, setBlanks] = useState(false);
  return {
    mode: wide ? mode : 'unified',
    setMode: (next: 'unified' | 'split') => {
      setChosen(next);
      ui.setState({ reviewMode: next });
    },
    wrap,
    toggleWrap: () => {
      setWrap(!wrap);
    },
    blanks,
    toggleBlanks: () => {
      setBlanks(!blanks);
    },
  } as const;
}
