import { memo } from 'react';
import { ToolCard, FoldedCards } from '@/features/tools';
import { useT } from '@/i18n';
import { useSession, type Row } from '@/state';
import { AssistantRow } from './AssistantRow';
import { LiveRow } from './LiveRow';
import { MessageRow } from './MessageRow';
import { DiscardedRow, NoticeRow, SummaryRow } from './NoticeRow';
import { kindText } from './noticeText';
import { UserRow } from './UserRow';

/** One row of the transcript. It takes ids, so that a change elsewhere does not draw it again. */
export const TranscriptRow = memo(function TranscriptRow({ row }: { row: Row }) {
  const t = useT();
  switch (row.kind) {
    case 'item':
      return <ItemRow seq={row.seq} head={row.head} />;
    case 'fold':
      return <FoldRow seqs={row.seqs} />;
    case 'live':
      return <LiveRow request={row.request} head={row.head} />;
    case 'discarded':
      return <DiscardedRow request={row.request} reason={kindText(t, row.errorKind)} />;
  }
});

function ItemRow({ seq, head }: { seq: number; head: boolean }) {
  const item = useSession((session) => session.items[seq] ?? null, null);
  if (!item) return null;
  const { body } = item;
  switch (body.kind) {
    case 'user':
      return <UserRow item={item} body={body} />;
    case 'assistant':
      return <AssistantRow item={item} body={body} head={head} />;
    case 'tool':
      return (
        <MessageRow
          itemKey={String(seq)}
          kind="tool"
          state="complete"
          speaker={null}
          name={body.name}
          at={item.ts}
        >
          <ToolCard seq={seq} tool={body} />
        </MessageRow>
      );
    case 'summary':
      return <SummaryRow item={item} body={body} />;
    case 'notice':
      return <NoticeRow item={item} body={body} />;
  }
}

function FoldRow({ seqs }: { seqs: readonly number[] }) {
  const t = useT();
  return (
    <MessageRow
      itemKey={`fold-${seqs[0] ?? 0}`}
      kind="tool"
      state="complete"
      speaker={null}
      name={t('common.agent')}
      at={null}
    >
      <FoldedCards seqs={seqs} />
    </MessageRow>
  );
}
