import { useEffect } from 'react';
import { useT } from '@/i18n';
import { useApp, useWorkbench } from '@/state';

/** The title of the window counts the sessions that wait for the person. */
export function useWindowTitle(): void {
  const t = useT();
  const { backend } = useWorkbench();
  const waiting = useApp((state) => state.list.sessions.filter((row) => row.state === 'waiting').length);
  useEffect(() => {
    const title = waiting > 0 ? t('app.title.waiting', waiting, t('app.name')) : t('app.name');
    document.title = title;
    // A title that could not be set is no reason to disturb anybody.
    backend.setTitle(title).catch(() => undefined);
  }, [backend, t, waiting]);
}
