import { SquareArrowOutUpRight } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton } from '@/components';
import type { Outside, Proposal } from '@/features/diff';
import { useT } from '@/i18n';
import { announce } from '@/lib/announce';
import { useLink, useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';

interface Props {
  proposal: Proposal;
  /** With words where there is room for them. */
  look: 'words' | 'icon';
}

/** Hands the text as it stands to the person's own editor. The card stays as it is and can be answered. */
export function OpenOutside({ proposal, look }: Props) {
  const t = useT();
  const run = useRun();
  const link = useLink();
  const { backend } = useWorkbench();
  const open = async () => {
    const { text } = proposal.store.getState();
    const request = { session_id: link.sessionId, proposal_id: proposal.id, text };
    await run(
      backend.call('edit_outside', request).then(() => {
        proposal.openedOutside();
      }),
    );
  };
  const icon = <SquareArrowOutUpRight className="icon-small" aria-hidden="true" />;
  return look === 'words' ? (
    <Button testId="confirm-external" size="large" icon={icon} onClick={open}>
      {t('confirm.outside')}
    </Button>
  ) : (
    <IconButton testId="confirm-external" label={t('confirm.outside')} icon={icon} onClick={open} />
  );
}

/** Where the text is open besides the card, and what was saved there. */
export function OutsideNote({ proposal }: { proposal: Proposal }) {
  const t = useT();
  const outside = useStore(proposal.store, (state) => state.outside);
  const words = outside === 'none' ? '' : t(`confirm.outside.${outside}`);
  useEffect(() => {
    if (words !== '') announce(words);
  }, [words]);
  if (words === '') return null;
  return (
    <p
      className="confirm-note confirm-outside"
      data-testid={tid('confirm-external-note')}
      data-state={outside}
      data-level={isRefused(outside) ? 'warn' : 'info'}
    >
      {words}
    </p>
  );
}

function isRefused(outside: Outside): boolean {
  return outside === 'not_text' || outside === 'too_large';
}
