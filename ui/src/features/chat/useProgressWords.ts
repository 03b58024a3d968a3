import { useEffect, useRef } from 'react';
import { useT } from '@/i18n';
import { announce, announceNow } from '@/lib/announce';
import { toolOf, useSession } from '@/state';
import { kindText } from './noticeText';

/** How often readers hear that work goes on. */
const STILL_INTERVAL_MS = 20_000;

/** Tells screen readers what the transcript does, without reading each word of it. */
export function useProgressWords(): void {
  const t = useT();
  const live = useSession((session) => session.liveRequest, null);
  const busy = useSession((session) => session.phase.phase !== 'idle', false);
  const end = useSession((session) => session.lastEnd, null);
  const running = useSession((session) => {
    const last = session.items[session.order.at(-1) ?? -1];
    const tool = last ? toolOf(last) : null;
    return tool?.state === 'running' ? `${tool.name} ${tool.subject}` : null;
  }, null);
  const answer = useSession((session) => lastAnswer(session.order, session.items), null);
  const wasLive = useRef(false);

  useEffect(() => {
    if (live !== null && !wasLive.current) announce(t('chat.said.started'));
    if (live === null && wasLive.current && answer !== null) {
      const [paragraphs = 0, calls = 0] = answer.split(' ').map(Number);
      announce(t('chat.said.complete', paragraphs, calls));
    }
    wasLive.current = live !== null;
  }, [live, answer, t]);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = window.setInterval(() => {
      announce(t('chat.said.still', running ?? t('chat.said.waitmodel')));
    }, STILL_INTERVAL_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [busy, running, t]);
  useEffect(() => {
    if (end?.outcome.startsWith('error:')) {
      announceNow(t('end.error', kindText(t, end.outcome.slice('error:'.length))));
    }
  }, [end, t]);
}

type Items = Parameters<Parameters<typeof useSession>[0]>[0]['items'];

/** Paragraphs and calls of the newest answer, as one comparable value. */
function lastAnswer(order: readonly number[], items: Items): string | null {
  const seq = order.findLast((candidate) => items[candidate]?.body.kind === 'assistant');
  const body = seq === undefined ? undefined : items[seq]?.body;
  if (body?.kind !== 'assistant') return null;
  const text = body.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
  const paragraphs = text.split(/\n{2,}/).filter((part) => part.trim() !== '').length;
  return `${paragraphs} ${body.blocks.filter((block) => block.kind === 'call').length}`;
}
