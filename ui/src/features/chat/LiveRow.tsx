import { useSyncExternalStore } from 'react';
import { Markdown } from '@/components';
import { useT } from '@/i18n';
import { useLink, useSession, type LiveHead } from '@/state';
import { tid } from '@/testids';
import { MessageRow } from './MessageRow';
import { Thinking } from './Thinking';
import { useOpenLink } from './useOpenLink';

const NONE: readonly LiveHead[] = [];

/** The answer that is arriving. */
export function LiveRow({ request, head }: { request: number; head: boolean }) {
  const t = useT();
  const blocks = useSession((session) => (session.liveRequest === request ? session.live : NONE), NONE);
  return (
    <MessageRow
      itemKey="live"
      kind="assistant"
      state="streaming"
      speaker={head ? t('common.agent') : null}
      name={t('common.agent')}
      at={null}
    >
      {blocks.map((block) => (
        <LiveBlock key={block.block} request={request} block={block} />
      ))}
    </MessageRow>
  );
}

function LiveBlock({ request, block }: { request: number; block: LiveHead }) {
  const t = useT();
  switch (block.kind) {
    case 'text':
      return <LiveMarkdown request={request} block={block.block} />;
    case 'thinking':
      return <LiveThinking request={request} block={block.block} />;
    case 'tool_call':
      return <p className="row-note">{block.name ?? t('chat.live.call')}</p>;
    case 'other':
      return <p className="row-note">{t('chat.live.other')}</p>;
  }
}

function useLiveText(request: number, block: number): string {
  const text = useLink().texts.get(request, block);
  return useSyncExternalStore(text.subscribe, text.current);
}

function LiveMarkdown({ request, block }: { request: number; block: number }) {
  const text = useLiveText(request, block);
  const openLink = useOpenLink();
  return (
    <div data-testid={tid('msg-text')}>
      <Markdown text={text} complete={false} onOpenLink={openLink} />
    </div>
  );
}

function LiveThinking({ request, block }: { request: number; block: number }) {
  return <Thinking text={useLiveText(request, block)} live />;
}
