import type { Item, ItemBody } from '@/bindings';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import { CopyButton } from './CopyButton';
import { MessageRow } from './MessageRow';
import { RewindButton } from './RewindButton';

/** What the person said, exactly as typed. */
export function UserRow({ item, body }: { item: Item; body: Extract<ItemBody, { kind: 'user' }> }) {
  const t = useT();
  return (
    <MessageRow
      itemKey={String(item.seq)}
      kind="user"
      state="complete"
      speaker={t('common.you')}
      name={t('common.you')}
      at={item.ts}
      tools={
        <>
          {item.excluded ? null : <RewindButton seq={item.seq} />}
          <CopyButton text={body.text} />
        </>
      }
    >
      <div className="row-user-text selectable" data-testid={tid('msg-text')}>
        {body.text}
      </div>
      {body.images.length > 0 ? <p className="row-note">{t('chat.images', body.images.length)}</p> : null}
      {body.steer ? <p className="row-note">{t('chat.steer')}</p> : null}
      {item.excluded ? <p className="row-note">{t('chat.excluded')}</p> : null}
    </MessageRow>
  );
}
