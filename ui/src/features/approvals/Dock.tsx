import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import { ConfirmCard } from './ConfirmCard';
import { titleOf, subjectOf, kindOf } from './titles';
import { useDock } from './useDock';
import './dock.css';

/** Where the agent's questions stand: beside the work, never in front of it. */
export function Dock() {
  const t = useT();
  const { asks, shown, withdrawn, step } = useDock();
  if (!shown && withdrawn.length === 0) return null;
  const at = asks.findIndex((ask) => ask.call_id === shown?.call_id);
  const counter =
    asks.length > 1 ? (
      <span className="confirm-counter">
        <IconButton
          testId="confirm-prev"
          label={t('confirm.prev')}
          data-size="small"
          icon={<ChevronLeft className="icon-small" aria-hidden="true" />}
          onClick={() => {
            step(-1);
          }}
        />
        <span
          className="numbers"
          data-testid={tid('confirm-count')}
          data-count={asks.length}
          data-value={at + 1}
        >
          {t('confirm.count', at + 1, asks.length)}
        </span>
        <IconButton
          testId="confirm-next"
          label={t('confirm.next')}
          data-size="small"
          data-confirm-next=""
          icon={<ChevronRight className="icon-small" aria-hidden="true" />}
          onClick={() => {
            step(1);
          }}
        />
      </span>
    ) : null;
  return (
    <section
      className="dock"
      data-testid={tid('confirm-dock')}
      data-region="dock"
      data-count={asks.length}
      aria-label={t('confirm.region')}
    >
      {withdrawn.map(({ ask, resolution }) => (
        <div
          key={ask.proposal_id}
          className="confirm-withdrawn"
          data-testid={tid('confirm-card')}
          data-key={ask.call_id}
          data-kind={kindOf(ask)}
          data-state="withdrawn"
          role="status"
        >
          <span className="confirm-title">{titleOf(t, ask)}</span>
          <span className="truncate code">{subjectOf(ask)}</span>
          <span className="muted">
            {resolution.verdict === 'closed'
              ? t('confirm.withdrawn.stopped')
              : t('confirm.withdrawn.elsewhere')}
          </span>
        </div>
      ))}
      {shown ? <ConfirmCard key={shown.proposal_id} ask={shown} counter={counter} /> : null}
    </section>
  );
}
