import { useEffect, useRef } from 'react';
import { useT } from '@/i18n';
import { useApp, useWorkbench } from '@/state';

/** Says that a command ended whose end the person wanted to hear of, whatever session is on screen. */
export function useEndNotices(): void {
  const t = useT();
  const workbench = useWorkbench();
  const ended = useApp((state) => state.endedShell);
  const said = useRef(ended);
  useEffect(() => {
    if (!ended || ended === said.current) return;
    said.current = ended;
    const [line = ''] = ended.command.split('\n');
    workbench.toasts.show({
      kind: ended.state === 'completed' ? 'success' : 'warning',
      text: t('shells.ended.toast', line, t(`shells.state.${ended.state}`)),
      action: {
        label: t('shells.ended.show'),
        run: () => {
          workbench.openSession(ended.session_id);
          workbench.openShell(ended);
        },
      },
    });
  }, [ended, t, workbench]);
}
