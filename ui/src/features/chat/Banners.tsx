import { CloudOff, Database, LifeBuoy, RotateCw } from 'lucide-react';
import { Banner, Button } from '@/components';
import { useT } from '@/i18n';
import { useNow } from '@/lib/useNow';
import { useLink, useRun, useSession, useWorkbench, type RetryState } from '@/state';
import { kindText } from './noticeText';

/** What stands above the transcript because it concerns all of it. */
export function Banners() {
  const retry = useSession((session) => session.retry, null);
  const waiting = useSession((session) => session.phase.phase === 'backoff', false);
  return (
    <>
      {retry ? <RetryBanner retry={retry} /> : waiting ? <RetryBanner retry={null} /> : null}
      <RecoveredBanner />
      <ReadOnlyBanner />
    </>
  );
}

function RetryBanner({ retry }: { retry: RetryState | null }) {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  const now = useNow(retry ? 250 : null);
  const seconds = retry ? Math.max(0, Math.ceil((retry.until - now) / 1_000)) : 0;
  const reason = retry ? sentence(kindText(t, retry.errorKind)) : '';
  const text = retry
    ? `${t('banner.retry', reason, retry.attempt, retry.of)} ${t('banner.retry.in', seconds)}`
    : t('banner.retry.plain');
  return (
    <Banner kind="retry" icon={<CloudOff className="icon-small" aria-hidden="true" />} text={text}>
      <Button
        testId="app-banner-action"
        data-key="retry_now"
        size="small"
        icon={<RotateCw className="icon-small" aria-hidden="true" />}
        onClick={() => run(workbench.command('retry_now', sessionId))}
      >
        {t('banner.retry.now')}
      </Button>
      <Button
        testId="app-banner-action"
        data-key="cancel"
        size="small"
        look="danger"
        onClick={() => run(workbench.command('cancel', sessionId))}
      >
        {t('banner.stop')}
      </Button>
    </Banner>
  );
}

function sentence(words: string): string {
  const capital = words.charAt(0).toUpperCase() + words.slice(1);
  return /[\u4e00-\u9fff]$/.test(words) ? `${capital}。` : `${capital}.`;
}

function ReadOnlyBanner() {
  const t = useT();
  const reason = useSession((session) => session.readOnly, null);
  const store = useSession((session) => session.store, 'ok');
  if (reason === null || store !== 'ok') return null;
  return (
    <Banner
      kind="store"
      icon={<Database className="icon-small" aria-hidden="true" />}
      text={reason === '' ? t('session.readonly') : reason}
    />
  );
}

/** After an unexpected end nothing goes on by itself. */
function RecoveredBanner() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const { sessionId } = useLink();
  const recovered = useSession((session) => {
    const last = session.items[session.order.at(-1) ?? -1]?.body;
    return last?.kind === 'notice' && last.code === 'recovered' && session.phase.phase === 'idle';
  }, false);
  if (!recovered) return null;
  return (
    <Banner
      kind="recovered"
      icon={<LifeBuoy className="icon-small" aria-hidden="true" />}
      text={t('banner.recovered')}
    >
      <Button
        testId="app-banner-action"
        data-key="continue_turn"
        size="small"
        onClick={() => run(workbench.command('continue_turn', sessionId))}
      >
        {t('banner.continue')}
      </Button>
    </Banner>
  );
}
