import { FileWarning } from 'lucide-react';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useCopy } from '@/lib/useCopy';
import { tid } from '@/testids';
import { ActButton } from './ActButton';
import type { Confirmation } from './useConfirmation';

/** The file changed meanwhile: the proposal can only be closed, and the person's text be saved. */
export function StaleBanner({ confirmation }: { confirmation: Confirmation }) {
  const t = useT();
  const [copied, copy] = useCopy();
  const { proposal } = confirmation;
  return (
    <div className="confirm-stale" data-testid={tid('confirm-stale-banner')} role="status">
      <FileWarning className="icon-small" aria-hidden="true" />
      <span className="confirm-stale-text">{t('confirm.stale')}</span>
      <ActButton
        testId="confirm-stale-close"
        size="small"
        armed={confirmation.armed}
        onAct={() => {
          confirmation.decide({ kind: 'deny', words: null });
        }}
      >
        {t('confirm.stale.close')}
      </ActButton>
      {proposal ? (
        <Button
          testId="confirm-stale-copy"
          size="small"
          onClick={() => {
            copy(proposal.store.getState().text);
          }}
        >
          {copied ? t('common.copied') : t('confirm.stale.copy')}
        </Button>
      ) : null}
    </div>
  );
}
