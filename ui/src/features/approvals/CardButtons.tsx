import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Decision, ScopeOffer } from '@/bindings';
import { Button, Menu, MenuItem } from '@/components';
import { useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { tid } from '@/testids';
import { ActButton } from './ActButton';
import { FeedbackField } from './FeedbackField';
import type { Confirmation } from './useConfirmation';

interface Props {
  confirmation: Confirmation;
  feedback: Feedback;
  /** Between the two ends. */
  children?: ReactNode;
}

/** The field for the reason of a rejection: closed while `null`. */
export interface Feedback {
  text: string | null;
  set: (text: string | null) => void;
}

/** What allowing means now, with the text as it stands at this moment. */
export function allowDecision(confirmation: Confirmation): Decision | null {
  const { dirty, nothingLeft, proposal, state } = confirmation;
  if (state === 'stale' || nothingLeft) return null;
  if (dirty && proposal) return { kind: 'modify', final_text: proposal.store.getState().text };
  return { kind: 'allow', scope: 'once' };
}

/**
 * Allow and reject. In the order of the Tab key Reject comes first, on screen it stands at the far end; neither ever
 * gets the focus by itself.
 */
export function CardButtons({ confirmation, feedback, children }: Props) {
  const t = useT();
  const { armed, decide, dirty, becomesEmpty, nothingLeft, ask } = confirmation;
  const canAllow = allowDecision(confirmation) !== null;
  const label = becomesEmpty
    ? t('confirm.allow.empty')
    : dirty
      ? t('confirm.allow.edits')
      : t('confirm.allow');
  return (
    <>
      {feedback.text === null ? null : <FeedbackField confirmation={confirmation} feedback={feedback} />}
      {nothingLeft ? <p className="confirm-note">{t('confirm.nothing')}</p> : null}
      <div className="confirm-buttons">
        <div className="confirm-reject-group">
          <ActButton
            testId="confirm-reject"
            look="danger"
            size="large"
            armed={armed}
            keyHint={keyLabel('reject')}
            onAct={() => {
              decide({ kind: 'deny', words: null });
            }}
          >
            {t('confirm.reject')}
          </ActButton>
          <Button
            testId="confirm-reject-feedback"
            size="large"
            aria-expanded={feedback.text !== null}
            onClick={() => {
              feedback.set(feedback.text === null ? '' : null);
            }}
          >
            {t('confirm.reject.why')}
          </Button>
        </div>
        <ActButton
          testId="confirm-allow-once"
          look="primary"
          size="large"
          armed={armed}
          disabled={!canAllow}
          keyHint={keyLabel('allow')}
          onAct={() => {
            // Asked for at the press: the card is not drawn again with every key.
            const allowed = allowDecision(confirmation);
            if (allowed) decide(allowed);
          }}
        >
          {label}
        </ActButton>
        {dirty || ask.scopes.length === 0 || !canAllow ? null : <ScopeMenu confirmation={confirmation} />}
        {children}
      </div>
    </>
  );
}

function ScopeMenu({ confirmation }: { confirmation: Confirmation }) {
  const t = useT();
  const { armed, ask, decide } = confirmation;
  const offers = ask.scopes.filter((offer) => offer.scope !== 'once');
  if (offers.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button
          testId="confirm-scope-menu"
          size="large"
          aria-label={t('confirm.scope')}
          title={t('confirm.scope')}
        >
          <ChevronDown className="icon-small" aria-hidden="true" />
        </Button>
      }
    >
      {offers.map((offer) => (
        <MenuItem
          key={offer.scope}
          testId="confirm-scope-item"
          data={{ 'data-value': offer.scope }}
          disabled={!armed}
          label={<ScopeLabel offer={offer} />}
          onSelect={() => {
            if (armed) decide({ kind: 'allow', scope: offer.scope });
          }}
        />
      ))}
    </Menu>
  );
}

function ScopeLabel({ offer }: { offer: ScopeOffer }) {
  const t = useT();
  return (
    <span className="scope-label">
      <span>{t('confirm.scope.session')}</span>
      <span className="scope-rules" data-testid={tid('confirm-rule-text')}>
        {offer.rules.length === 0 ? t('confirm.scope.edits') : null}
        {offer.rules.map((rule) => (
          <code key={rule}>{rule}</code>
        ))}
      </span>
    </span>
  );
}
