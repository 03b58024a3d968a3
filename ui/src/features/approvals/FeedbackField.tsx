import { useRef } from 'react';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { tid } from '@/testids';
import { ActButton } from './ActButton';
import type { Feedback } from './CardButtons';
import type { Confirmation } from './useConfirmation';

/** Why not, in the person's words; they go to the model. */
export function FeedbackField({
  confirmation,
  feedback,
}: {
  confirmation: Confirmation;
  feedback: Feedback;
}) {
  const t = useT();
  const focused = useRef(false);
  const text = feedback.text ?? '';
  const send = () => {
    confirmation.decide({ kind: 'deny', words: text });
  };
  return (
    <div className="confirm-feedback">
      <textarea
        className="confirm-feedback-input"
        data-testid={tid('confirm-feedback-input')}
        aria-label={t('confirm.feedback')}
        placeholder={t('confirm.feedback')}
        rows={2}
        value={text}
        ref={(field) => {
          // The person just pressed the button that opens this field.
          if (field && !focused.current) {
            focused.current = true;
            field.focus();
          }
        }}
        onChange={(event) => {
          feedback.set(event.target.value);
        }}
        onKeyDown={(event) => {
          // Here the key of Allow sends what is being written: the rejection.
          if (isKey(event, 'allow')) {
            event.preventDefault();
            event.stopPropagation();
            if (!event.repeat && confirmation.armed && text.trim() !== '') send();
          } else if (isKey(event, 'leave')) {
            event.preventDefault();
            event.stopPropagation();
            feedback.set(null);
          }
        }}
      />
      <ActButton
        testId="confirm-feedback-send"
        look="danger"
        armed={confirmation.armed}
        disabled={text.trim() === ''}
        onAct={send}
      >
        {t('confirm.feedback.send')}
      </ActButton>
    </div>
  );
}
