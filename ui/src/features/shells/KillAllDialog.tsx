import { useRef } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button, Dialog } from '@/components';
import { useT } from '@/i18n';
import { useLink, useRun, useWorkbench } from '@/state';
import { EndedList } from './EndedList';

/** Says which commands end before they do. */
export function KillAllDialog({ shells, onClose }: { shells: readonly ShellInfo[]; onClose: () => void }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const { sessionId } = useLink();
  const cancel = useRef<HTMLButtonElement>(null);
  const kill = async () => {
    await run(backend.call('kill_shells', { session_id: sessionId }));
    onClose();
  };
  return (
    <Dialog
      open
      title={t('shells.killall.title', shells.length)}
      closeTestId="killall-close"
      initialFocus={cancel}
      onClose={onClose}
      footer={
        <>
          <Button testId="killall-cancel" size="large" ref={cancel} onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            testId="killall-confirm"
            size="large"
            look="danger"
            disabled={shells.length === 0}
            onClick={kill}
          >
            {t('shells.killall.do')}
          </Button>
        </>
      }
    >
      <p>{t('shells.killall.text')}</p>
      <EndedList shells={shells} testId="killall-list" />
    </Dialog>
  );
}
