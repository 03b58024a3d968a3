import type { ReactNode } from 'react';
import type { Ask, Preview } from '@/bindings';
import { VisibleText } from '@/components';
import { allowDecision, CardButtons } from './CardButtons';
import { CardFrame } from './CardFrame';
import { useConfirmation } from './useConfirmation';
import { useFeedback } from './useFeedback';

interface Props {
  ask: Ask;
  preview: Extract<Preview, { kind: 'info' }>;
  counter: ReactNode;
}

/** Any other call: its name and the whole of what it would do, as plain text. */
export function InfoCard({ ask, preview, counter }: Props) {
  const confirmation = useConfirmation(ask);
  const feedback = useFeedback(ask);
  const allowed = allowDecision(confirmation);
  return (
    <CardFrame
      confirmation={confirmation}
      counter={counter}
      subject={ask.tool}
      actions={{
        allow: () => {
          if (allowed) confirmation.decide(allowed);
        },
        reject: () => {
          confirmation.decide({ kind: 'deny', words: null });
        },
        rejectWhy: () => {
          feedback.set(feedback.text ?? '');
        },
      }}
      footer={<CardButtons confirmation={confirmation} feedback={feedback} />}
    >
      <pre className="confirm-command selectable" tabIndex={0} aria-label={preview.title}>
        <VisibleText text={preview.body} />
      </pre>
    </CardFrame>
  );
}
