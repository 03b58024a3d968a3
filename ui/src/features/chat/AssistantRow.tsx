import type { Block, Item, ItemBody } from '@/bindings';
import { Markdown } from '@/components';
import { formatCount, useT } from '@/i18n';
import { tid } from '@/testids';
import { CopyButton } from './CopyButton';
import { MessageRow } from './MessageRow';
import { Thinking } from './Thinking';
import { useOpenLink } from './useOpenLink';

interface Props {
  item: Item;
  body: Extract<ItemBody, { kind: 'assistant' }>;
  head: boolean;
}

/** What the model said. Its calls are rows of their own. */
export function AssistantRow({ item, body, head }: Props) {
  const t = useT();
  const text = body.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
  const { usage } = body;
  return (
    <MessageRow
      itemKey={String(item.seq)}
      kind="assistant"
      state={body.stop === 'interrupted' ? 'interrupted' : 'complete'}
      speaker={head ? t('common.agent') : null}
      name={t('common.agent')}
      at={item.ts}
      tools={
        <>
          {usage ? (
            <span
              className="row-usage numbers"
              data-testid={tid('msg-usage')}
              data-value={usage.input + usage.output}
            >
              {t('chat.row.usage', formatCount(usage.input), formatCount(usage.output))}
            </span>
          ) : null}
          {text === '' ? null : <CopyButton text={text} />}
        </>
      }
    >
      {body.blocks.map((block, at) => (
        <AssistantBlock key={at} block={block} />
      ))}
      {body.stop === 'interrupted' ? <p className="row-note">{t('chat.interrupted')}</p> : null}
      {body.stop === 'max_tokens' ? <p className="row-note">{t('chat.maxtokens')}</p> : null}
      {item.excluded ? <p className="row-note">{t('chat.excluded')}</p> : null}
    </MessageRow>
  );
}

function AssistantBlock({ block }: { block: Block }) {
  const openLink = useOpenLink();
  switch (block.kind) {
    case 'text':
      return (
        <div data-testid={tid('msg-text')}>
          <Markdown text={block.text} complete onOpenLink={openLink} />
        </div>
      );
    case 'thinking':
      return block.text === '' ? null : <Thinking text={block.text} live={false} />;
    case 'server_tool_call':
      return <p className="row-note code">{block.name}</p>;
    case 'server_tool_result':
      return <p className="row-note code">{block.result_kind}</p>;
    case 'call':
    case 'opaque':
      return null;
  }
}
