import { ArrowDown } from 'lucide-react';
import { useEffect, useRef, type FocusEvent, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { VList, type VListHandle } from 'virtua';
import { Button, Empty } from '@/components';
import { useT } from '@/i18n';
import { isKey } from '@/keys';
import { provide } from '@/lib/probes';
import { useLink, useSessionView, useWorkbench, type Row } from '@/state';
import { tid } from '@/testids';
import { TranscriptRow } from './TranscriptRow';
import { useFollow, type Follow } from './useFollow';
import { useMarkedWords } from './useMarkedWords';
import { usePlace } from './usePlace';
import { usePrepend } from './usePrepend';

/** Older rows are fetched this far before the top is reached. */
const OLDER_AHEAD_PX = 1_200;

const NO_ROWS: readonly Row[] = [];

/** The rows of the session: virtual, following the end while the person is there. */
export function Transcript({ onEscape }: { onEscape: () => boolean }) {
  const t = useT();
  const link = useLink();
  const rows = useSessionView((view) => (view.status === 'ready' ? view.rows : NO_ROWS));
  const hasOlder = useSessionView((view) => view.status === 'ready' && view.session.hasOlder);
  const loadingOlder = useSessionView((view) => view.status === 'ready' && view.loadingOlder);
  const detached = useSessionView((view) => view.status === 'ready' && view.session.detached);
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const shift = usePrepend(rows);
  const follow = useFollow(list, rows, { now: detached, showNewest: () => link.showNewest() });
  useJump(list, rows, follow.stay);
  useMarkedWords(box);
  const keepPlace = usePlace(list, rows.length, follow);

  const onScroll = (offset: number) => {
    follow.onScroll(offset);
    keepPlace(offset);
    if (offset < OLDER_AHEAD_PX && hasOlder) void link.loadOlder().catch(() => undefined);
  };
  return (
    <div
      className="transcript"
      ref={box}
      data-region="transcript"
      onWheel={follow.onWheel}
      onPointerDown={follow.onPointerDown}
      onKeyDown={(event) => {
        if (isKey(event, 'stopEscape') && !event.defaultPrevented && onEscape()) event.preventDefault();
        if (event.target instanceof Element && event.target.getAttribute('role') === 'log')
          follow.onKeyDown(event);
        onTranscriptKey(event);
      }}
      onFocus={keepOneTabStop}
      role="presentation"
    >
      {rows.length === 0 ? (
        <div className="chat-empty" data-testid={tid('msg-list')} data-count={0}>
          <Empty title={t('chat.empty.title')} text={t('chat.empty.text')} />
        </div>
      ) : (
        <VList
          ref={list}
          className="transcript-scroll"
          role="log"
          aria-live="off"
          aria-label={t('chat.log')}
          data-testid={tid('msg-list')}
          data-count={rows.length}
          tabIndex={0}
          shift={shift}
          onScroll={onScroll}
          onResize={follow.onResize}
        >
          {[
            hasOlder ? (
              <OlderRow key="older" loading={loadingOlder} />
            ) : (
              <div key="top" className="transcript-edge" />
            ),
            ...rows.map((row) => <TranscriptRow key={row.key} row={row} />),
            <div key="end" className="transcript-edge" />,
          ]}
        </VList>
      )}
      {follow.following && !detached ? null : <ToEnd follow={follow} />}
    </div>
  );
}

function ToEnd({ follow }: { follow: Follow }) {
  const t = useT();
  return (
    <div className="to-end">
      <Button
        testId="msg-to-end"
        size="small"
        data-count={follow.fresh}
        icon={<ArrowDown className="icon-small" aria-hidden="true" />}
        onClick={follow.toEnd}
      >
        {follow.fresh > 0 ? t('chat.toend.new', follow.fresh) : t('chat.toend')}
      </Button>
    </div>
  );
}

function OlderRow({ loading }: { loading: boolean }) {
  const t = useT();
  const link = useLink();
  return (
    <div className="transcript-older">
      <Button
        testId="msg-load-older"
        look="quiet"
        size="small"
        disabled={loading}
        onClick={() => void link.loadOlder().catch(() => undefined)}
      >
        {loading ? t('chat.older.loading') : t('chat.older')}
      </Button>
    </div>
  );
}

/** J and K move between rows while a row has the focus. */
function onTranscriptKey(event: KeyboardEvent<HTMLDivElement>): void {
  const step = isKey(event, 'rowNext') ? 1 : isKey(event, 'rowPrevious') ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.row')];
  if (event.target.closest('input, textarea, [contenteditable="true"], .xterm')) return;
  const at = rows.indexOf(event.target);
  if (at < 0 && event.target.getAttribute('role') !== 'log') return;
  const next = at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

/** F6 comes back to the row the person was on. */
function keepOneTabStop(event: FocusEvent<HTMLDivElement>): void {
  if (!(event.target instanceof HTMLElement) || !event.target.classList.contains('row')) return;
  for (const row of event.currentTarget.querySelectorAll('[data-region-focus]')) {
    row.removeAttribute('data-region-focus');
  }
  event.target.dataset.regionFocus = '';
}

/** Goes to the row a search found, and lets tests bring a row into the page. */
function useJump(list: { current: VListHandle | null }, rows: readonly Row[], stay: () => void): void {
  const at = useStore(useWorkbench().current, (current) => current.at);
  const jumped = useRef<unknown>(null);
  useEffect(() => {
    const scrollTo = (key: string) => {
      const index = rows.findIndex((row) => rowHas(row, key));
      if (index < 0) return false;
      stay();
      // The row before the first one is not a row of the session.
      list.current?.scrollToIndex(index + 1, { align: 'center' });
      return true;
    };
    if (at.seq !== null && jumped.current !== at && rows.length > 0) {
      jumped.current = at;
      scrollTo(String(at.seq));
    }
    return provide('scrollTo', scrollTo);
  }, [at, list, rows, stay]);
}

function rowHas(row: Row, key: string): boolean {
  if (row.kind === 'item') return String(row.seq) === key;
  if (row.kind === 'fold') return row.seqs.some((seq) => String(seq) === key);
  return row.key === key;
}
