import { useEffect, useRef, useState } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button, Dialog, Empty } from '@/components';
import { useT } from '@/i18n';
import { useApp, useRun, useWorkbench } from '@/state';
import { EndedList } from './EndedList';
import { useRunningShells } from './useRunningShells';
import './shells.css';

/** Says which commands end with the window before they do. */
export default function QuitDialog() {
  const t = useT();
  const run = useRun();
  const { backend, app } = useWorkbench();
  const running = useEndingShells();
  const [quitting, setQuitting] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Nobody waits for the answer: from now on only the buttons decide.
    backend.closingShown().catch(() => undefined);
  }, [backend]);
  const keepOpen = () => run(app.keepOpen());
  const quit = async () => {
    setQuitting(true);
    await run(backend.quit());
  };
  const count = running?.length ?? 0;
  return (
    <Dialog
      open
      title={t('quit.title')}
      closeTestId="quit-close"
      initialFocus={cancel}
      onClose={() => void keepOpen()}
      footer={
        <>
          <Button testId="quit-cancel" size="large" ref={cancel} disabled={quitting} onClick={keepOpen}>
            {t('common.cancel')}
          </Button>
          <Button testId="quit-confirm" size="large" look="danger" disabled={quitting} onClick={quit}>
            {quitting ? t('quit.stopping') : running && count === 0 ? t('quit.now') : t('quit.do')}
          </Button>
        </>
      }
    >
      {running && count === 0 ? (
        <Empty title={t('quit.none')} />
      ) : (
        <>
          <p>{t('quit.text')}</p>
          <EndedList shells={running ?? []} testId="quit-list" />
          <p className="muted">{t('quit.hint')}</p>
        </>
      )}
    </Dialog>
  );
}

/** What ends with the window: what runs and, unless the person wants it otherwise, what ended commands left. */
function useEndingShells(): readonly ShellInfo[] | null {
  const shells = useRunningShells();
  const endsLeftovers = useApp((state) => state.settings?.kill_leftovers_on_quit ?? true);
  return endsLeftovers ? shells : (shells?.filter((shell) => shell.state === 'running') ?? null);
}
