import type { SessionSummary } from '@/bindings';
import { useT } from '@/i18n';
import { useRun, useWorkbench } from '@/state';

/** A deleted session can be taken back this long. */
const UNDO_MS = 10_000;

/** What can be done with a session in the list. */
export function useSessionActions(session: SessionSummary) {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const { session_id: id } = session;
  const title = session.title === '' ? t('session.untitled') : session.title;

  const removeNow = async () => {
    await workbench.deleteSession(id);
    workbench.toasts.show({
      kind: 'info',
      text: t('session.deleted', title),
      shownMs: UNDO_MS,
      action: {
        testId: 'session-undo-delete',
        label: t('common.undo'),
        run: () => {
          void run(workbench.undoDelete(id));
        },
      },
    });
  };
  return {
    rename: (next: string) => {
      void run(workbench.renameSession(id, next));
    },
    archive: () => {
      void run(workbench.archiveSession(id, !session.archived));
    },
    remove: () => {
      void run(removeNow());
    },
  };
}
