import { FileInput } from 'lucide-react';
import { useState } from 'react';
import type { CallId } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useLink } from '@/state';
import { PutBack } from './PutBack';
import { usePutBack } from './usePutBack';

/** Puts into the file what another program wrote too late to be in it. */
export function PutInLateWrite({ callId }: { callId: CallId }) {
  const t = useT();
  const { sessionId } = useLink();
  const { undoEdit, putBackMerged } = usePutBack();
  const [done, setDone] = useState(false);
  const what = { kind: 'undo' as const, call_id: callId };
  if (done) return null;
  return (
    <PutBack
      what={what}
      run={async () => {
        const out = await undoEdit(sessionId, callId, 'latewrite.done');
        setDone(out.failures.length === 0);
        return out;
      }}
      runMerged={async (files) => {
        const out = await putBackMerged(sessionId, what, files, 'latewrite.done');
        setDone(out.failures.length === 0);
        return out;
      }}
      mergeText={t('latewrite.merge')}
    >
      {(act, busy, title) => (
        <Button
          testId="msg-put-in"
          size="small"
          disabled={busy}
          title={title}
          icon={<FileInput className="icon-small" aria-hidden="true" />}
          onClick={act}
        >
          {t('latewrite.put')}
        </Button>
      )}
    </PutBack>
  );
}
