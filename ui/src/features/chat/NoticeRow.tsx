import { ChevronRight, CircleAlert, Info, ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Item, ItemBody } from '@/bindings';
import { Button } from '@/components';
import { PutInLateWrite } from '@/features/changes';
import { formatCount, useT } from '@/i18n';
import { useCurrentLink, useLink, useRun, useSession, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { MessageRow } from './MessageRow';
import { noticeText } from './noticeText';

/** Ends of a turn after which the person can let it go on. */
const CAN_CONTINUE = new Set([
  'error',
  'max_steps',
  'max_tokens',
  'loop_detected',
  'crashed',
  'cancelled',
  'recovered',
]);

/** One line about the session itself. */
export function NoticeRow({ item, body }: { item: Item; body: Extract<ItemBody, { kind: 'notice' }> }) {
  const t = useT();
  const text = noticeText(t, body);
  const failed = body.code === 'error' || body.code === 'crashed';
  const isLast = useSession(
    (session) => session.order.at(-1) === item.seq && session.phase.phase === 'idle',
    false,
  );
  const lateWrite = body.code === 'late_write_saved' ? body.args[2] : undefined;
  const canContinue = isLast && CAN_CONTINUE.has(body.code);
  return (
    <MessageRow
      itemKey={String(item.seq)}
      kind="notice"
      state="complete"
      speaker={null}
      name={text}
      at={item.ts}
    >
      <div className="notice" data-state={failed ? 'error' : 'info'} data-value={body.code}>
        {failed ? (
          <CircleAlert className="icon-small" aria-hidden="true" />
        ) : (
          <Info className="icon-small" aria-hidden="true" />
        )}
        <span className="selectable">{text}</span>
        {canContinue ? <ContinueButton /> : null}
        {lateWrite === undefined ? null : <PutInLateWrite callId={lateWrite} />}
      </div>
    </MessageRow>
  );
}

function ContinueButton() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  return (
    <Button
      testId="msg-retry"
      size="small"
      onClick={() => run(workbench.command('continue_turn', sessionId))}
    >
      {t('notice.continue')}
    </Button>
  );
}

/** The summary that took the place of older messages in what the model sees. */
export function SummaryRow({ item, body }: { item: Item; body: Extract<ItemBody, { kind: 'summary' }> }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <MessageRow
      itemKey={String(item.seq)}
      kind="summary"
      state="complete"
      speaker={null}
      name={t('chat.summary')}
      at={item.ts}
    >
      <div className="summary">
        <button
          type="button"
          className="summary-toggle"
          data-testid={tid('msg-summary-toggle')}
          data-row-toggle=""
          aria-expanded={open}
          onClick={() => {
            setOpen(!open);
          }}
        >
          <ScrollText className="icon-small" aria-hidden="true" />
          <span>{t('chat.summary')}</span>
          <span className="muted numbers">
            {t('chat.summary.counts', formatCount(body.before), formatCount(body.after))}
          </span>
        </button>
        {open ? <div className="summary-text selectable">{body.text}</div> : null}
      </div>
    </MessageRow>
  );
}

/** A half answer that was thrown away and asked for again. */
export function DiscardedRow({ request, reason }: { request: number; reason: string }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const text = useCurrentLink()?.texts.get(request, 0).current() ?? '';
  const title = t('chat.discarded', reason);
  return (
    <MessageRow
      itemKey={`discarded-${request}`}
      kind="notice"
      state="hidden"
      speaker={null}
      name={title}
      at={null}
    >
      <div className="thinking" data-state={open ? 'open' : 'closed'}>
        <button
          type="button"
          className="thinking-toggle"
          data-testid={tid('msg-discarded-toggle')}
          data-row-toggle=""
          aria-expanded={open}
          onClick={() => {
            setOpen(!open);
          }}
        >
          <ChevronRight className="icon-small thinking-arrow" aria-hidden="true" />
          {title}
        </button>
        {open ? <div className="thinking-text selectable">{text}</div> : null}
      </div>
    </MessageRow>
  );
}
