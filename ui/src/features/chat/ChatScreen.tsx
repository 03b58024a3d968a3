import { useEffect, useRef } from 'react';
import { Button, Failure, Loading } from '@/components';
import { Dock } from '@/features/approvals';
import { RewindDialog, RewoundBar } from '@/features/changes';
import { TodoStrip } from '@/features/todos';
import { useT } from '@/i18n';
import { useErrorText, useLink, useSessionView, useUi } from '@/state';
import { Banners } from './Banners';
import { Composer } from './Composer';
import { QueueList } from './QueueList';
import { SessionHeader } from './SessionHeader';
import { Transcript } from './Transcript';
import { useProgressWords } from './useProgressWords';
import { useStop } from './useStop';
import './chat.css';

/** A session: title, transcript, approvals, waiting messages, message field. */
export function ChatScreen() {
  const t = useT();
  const link = useLink();
  const errorText = useErrorText();
  const status = useSessionView((view) => view.status);
  const error = useSessionView((view) => (view.status === 'error' ? view.error : null));
  const showsTodos = useUi((state) => state.panelShown && state.panelTab === 'todos');
  const footer = useFooterHeight();
  const stop = useStop();
  useProgressWords();
  if (status === 'loading') return <Loading text={t('status.loading')} lines={3} />;
  if (error) {
    return (
      <Failure title={t('session.open.error')} text={errorText(error)}>
        <Button testId="session-retry" onClick={() => void link.start()}>
          {t('common.again')}
        </Button>
      </Failure>
    );
  }
  return (
    <>
      <SessionHeader />
      <Banners />
      <Transcript onEscape={stop.pressEscape} />
      <div className="chat-footer" ref={footer}>
        {showsTodos ? null : <TodoStrip />}
        <Dock />
        <QueueList />
        <RewoundBar />
        <Composer stop={stop} />
      </div>
      <RewindDialog />
    </>
  );
}

/** Messages in the corner stay above the approvals. */
function useFooterHeight() {
  const footer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = footer.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      document.documentElement.style.setProperty('--footer-height', `${element.offsetHeight}px`);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      document.documentElement.style.removeProperty('--footer-height');
    };
  });
  return footer;
}
