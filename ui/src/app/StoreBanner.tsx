import { Database } from 'lucide-react';
import { useEffect } from 'react';
import { Banner } from '@/components';
import { useT } from '@/i18n';
import { useApp, useCurrent, useErrorText, useWorkbench } from '@/state';

/** Whether what happens can be kept, for the whole window. */
export function StoreBanner() {
  const t = useT();
  const ofWindow = useApp((state) => state.info?.store ?? 'ok');
  const ofSession = useCurrent((session) => session.store, 'ok');
  const store = ofSession === 'ok' ? ofWindow : ofSession;
  useStoreNotice();
  if (store === 'ok') return null;
  return (
    <Banner
      kind="store"
      icon={<Database className="icon-small" aria-hidden="true" />}
      text={t(`banner.store.${store}`)}
    />
  );
}

/** What happened to the store before the window was there; said once, and it stays until it is closed. */
function useStoreNotice(): void {
  const { toasts } = useWorkbench();
  const errorText = useErrorText();
  const code = useApp((state) => state.info?.store_notice?.code);
  const text = useApp((state) => (state.info?.store_notice ? errorText(state.info.store_notice) : null));
  useEffect(() => {
    if (code !== undefined && text !== null) toasts.show({ kind: 'error', text });
    // Said once per start, not again in another language.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [code, toasts]);
}
