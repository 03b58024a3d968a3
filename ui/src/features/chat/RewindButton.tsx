import { History } from 'lucide-react';
import { IconButton } from '@/components';
import { useT } from '@/i18n';
import { useSession, useWorkbench } from '@/state';

/** Opens the question what goes back to before this message. */
export function RewindButton({ seq }: { seq: number }) {
  const t = useT();
  const { ui } = useWorkbench();
  const busy = useSession((session) => session.phase.phase !== 'idle' || session.readOnly !== null, true);
  return (
    <IconButton
      testId="msg-rewind"
      label={busy ? `${t('rewind.open')} (${t('rewind.busy')})` : t('rewind.open')}
      data-size="small"
      disabled={busy}
      icon={<History className="icon-small" aria-hidden="true" />}
      onClick={() => {
        ui.setState({ rewindTo: seq });
      }}
    />
  );
}
