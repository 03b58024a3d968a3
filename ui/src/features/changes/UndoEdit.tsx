import { Redo2, Undo2 } from 'lucide-react';
import type { CallId, EditMark } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useLink } from '@/state';
import { tid } from '@/testids';
import { PutBack } from './PutBack';
import { usePutBack } from './usePutBack';

/** Takes back what a call did to a file, or does it again; why that did not work stands beside it. */
export function UndoEdit({ callId, mark }: { callId: CallId; mark: EditMark }) {
  const t = useT();
  const { sessionId } = useLink();
  const { undoEdit, redoEdit, putBackMerged } = usePutBack();
  const undone = mark.state === 'undone';
  const what = { kind: undone ? ('redo' as const) : ('undo' as const), call_id: callId };
  const Icon = undone ? Redo2 : Undo2;
  return (
    <PutBack
      what={what}
      run={() => (undone ? redoEdit : undoEdit)(sessionId, callId)}
      runMerged={(files) => putBackMerged(sessionId, what, files, undone ? 'undo.redone' : 'undo.done')}
      mergeText={t(undone ? 'conflict.redo' : 'conflict.undo')}
    >
      {(act, busy, title) => (
        <Button
          testId={undone ? tid('tool-redo') : tid('tool-undo')}
          size="small"
          disabled={busy}
          title={title}
          icon={<Icon className="icon-small" aria-hidden="true" />}
          onClick={act}
        >
          {undone ? t('undo.redo') : t('undo.edit')}
        </Button>
      )}
    </PutBack>
  );
}
