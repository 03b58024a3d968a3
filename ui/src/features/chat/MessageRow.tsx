import { useEffect, type KeyboardEvent, type ReactNode } from 'react';
import { formatDateTime, formatTime, useLocale, useT } from '@/i18n';
import { countOnce } from '@/lib/frameSampler';
import { tid } from '@/testids';
import './rows.css';

interface Props {
  itemKey: string;
  kind: 'user' | 'assistant' | 'tool' | 'notice' | 'summary';
  state: 'streaming' | 'complete' | 'interrupted' | 'hidden';
  /** Who speaks, shown above the row; `null` where the row before was by the same. */
  speaker: string | null;
  /** What readers hear; by default the speaker. */
  name: string;
  at: number | null;
  tools?: ReactNode;
  children: ReactNode;
}

/** The frame of a row of the transcript. */
export function MessageRow({ itemKey, kind, state, speaker, name, at, tools, children }: Props) {
  const t = useT();
  const locale = useLocale();
  useEffect(() => {
    countOnce(`row:${itemKey}`);
  });
  const time = at === null ? '' : formatTime(locale, at);
  return (
    <article
      className="row"
      data-testid={tid('msg-row')}
      data-key={itemKey}
      data-kind={kind}
      data-state={state}
      aria-label={time === '' ? name : t('chat.row', name, time)}
      aria-busy={state === 'streaming'}
      tabIndex={-1}
      onKeyDown={onRowKey}
    >
      {speaker === null && tools === undefined ? null : (
        <div className="row-head" data-bare={speaker === null}>
          {speaker === null ? null : <span className="row-speaker">{speaker}</span>}
          {at === null || speaker === null ? null : (
            <time
              className="row-time numbers"
              dateTime={new Date(at).toISOString()}
              title={formatDateTime(locale, at)}
            >
              {time}
            </time>
          )}
          <span className="row-tools">{tools}</span>
        </div>
      )}
      {children}
    </article>
  );
}

/** Space opens, C copies, while the row itself has the focus. */
function onRowKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const selector =
    event.key === ' ' ? '[data-row-toggle]' : event.key.toLowerCase() === 'c' ? '[data-row-copy]' : null;
  if (selector === null) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(selector)?.click();
}
