import { useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '@/components';
import { diffLines, DiffLines, type Proposal } from '@/features/diff';
import { useT } from '@/i18n';
import { tid } from '@/testids';

/** With changes by hand: what the model will hear about them. */
export function ToldModel({ proposal }: { proposal: Proposal }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const dirty = useStore(proposal.store, ({ text }) => text !== proposal.ai);
  const lines = useStore(proposal.store, ({ stat }) => stat.user_added_lines + stat.user_removed_lines);
  if (!dirty) return null;
  return (
    <div className="told" data-testid={tid('confirm-told-model')} data-count={lines}>
      <span className="told-line">
        {t('confirm.told', lines)}
        <Button
          testId="confirm-told-view"
          look="link"
          size="small"
          aria-expanded={open}
          onClick={() => {
            setOpen(!open);
          }}
        >
          {t('confirm.told.view')}
        </Button>
      </span>
      {open ? (
        <div className="told-text" tabIndex={0} role="group" aria-label={t('confirm.told', lines)}>
          <p>{t('confirm.told.intro')}</p>
          <TextSinceProposal proposal={proposal} />
        </div>
      ) : null}
    </div>
  );
}

function TextSinceProposal({ proposal }: { proposal: Proposal }) {
  const text = useStore(proposal.store, (state) => state.text);
  return <DiffLines lines={diffLines(proposal.ai, text)} />;
}
