import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/i18n';
import { tid } from '@/testids';

/** Reasoning: one line that opens. */
export function Thinking({ text, live }: { text: string; live: boolean }) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <div className="thinking" data-testid={tid('msg-thinking')} data-state={open ? 'open' : 'closed'}>
      <button
        type="button"
        className="thinking-toggle"
        data-testid={tid('msg-thinking-toggle')}
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
        }}
      >
        <ChevronRight className="icon-small thinking-arrow" aria-hidden="true" />
        {live ? t('chat.thinking.live') : t('chat.thinking')}
      </button>
      {open ? (
        <div className="thinking-text selectable">{text === '' ? t('chat.thinking.hidden') : text}</div>
      ) : null}
    </div>
  );
}
