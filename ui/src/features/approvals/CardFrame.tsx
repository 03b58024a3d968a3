import { CircleHelp, TriangleAlert } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { VisibleText } from '@/components';
import { useT } from '@/i18n';
import { useErrorText } from '@/state';
import { tid } from '@/testids';
import { blockedBy } from './blocked';
import { StaleBanner } from './StaleBanner';
import { kindOf, titleOf } from './titles';
import type { Confirmation } from './useConfirmation';
import { useCardKeys, type CardActions } from './useCardKeys';
import { Warnings } from './Warnings';

interface Props {
  confirmation: Confirmation;
  actions: CardActions;
  /** What it is about, beside the title. */
  subject?: string;
  title?: string;
  counter: ReactNode;
  /** Right of the title. */
  aside?: ReactNode;
  children: ReactNode;
  /** Below the body: never scrolls away. */
  footer: ReactNode;
}

/** The frame of a card: title, what deserves a second look, the body, the buttons. */
export function CardFrame(props: Props) {
  const { confirmation, actions, subject, title, counter, aside, children, footer } = props;
  const t = useT();
  const titleId = useId();
  const bodyId = useId();
  const errorText = useErrorText();
  const { ask, state, error } = confirmation;
  const asks = ask.preview.kind === 'questions';
  const blocked = blockedBy(confirmation);
  const onKeyDown = useCardKeys(confirmation, actions);
  return (
    <div
      className="confirm"
      role="alertdialog"
      aria-modal="false"
      aria-labelledby={titleId}
      aria-describedby={bodyId}
      tabIndex={-1}
      data-confirm-focus=""
      data-testid={tid('confirm-card')}
      data-key={ask.call_id}
      data-kind={kindOf(ask)}
      data-state={state}
      data-dirty={confirmation.dirty}
      onKeyDown={onKeyDown}
    >
      <div className="confirm-progress" data-state={state} aria-hidden="true" />
      <header className="confirm-head">
        {asks ? (
          <CircleHelp className="icon" aria-hidden="true" />
        ) : (
          <TriangleAlert className="icon" aria-hidden="true" />
        )}
        <h2 id={titleId} className="confirm-title" data-testid={tid('confirm-title')}>
          {title ?? titleOf(t, ask)}
        </h2>
        {subject === undefined ? null : (
          <code className="confirm-subject">
            <VisibleText text={subject} />
          </code>
        )}
        {counter}
        <span className="confirm-space" />
        {aside}
      </header>
      {state === 'stale' ? <StaleBanner confirmation={confirmation} /> : null}
      <Warnings ask={ask} />
      <div id={bodyId} className="confirm-body" data-testid={tid('confirm-body')}>
        {children}
      </div>
      {error ? (
        <p
          className="confirm-error selectable"
          data-testid={tid('confirm-error')}
          data-value={error.code}
          role="alert"
        >
          {blocked
            ? t('confirm.blocked', blocked.encoding, blocked.character, blocked.line, blocked.column)
            : errorText(error)}
        </p>
      ) : null}
      {footer}
    </div>
  );
}
