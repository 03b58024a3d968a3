import { OctagonX } from 'lucide-react';
import type { ShellInfo } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useStopShell } from '@/state';
import { tid } from '@/testids';
import { leftNames } from './leftNames';

/** What still runs though its command ended, and an end for it. */
export function Leftovers({ shell }: { shell: ShellInfo }) {
  const t = useT();
  const { kill } = useStopShell(shell);
  const { names, more } = leftNames(shell);
  return (
    <div className="shell-left" data-testid={tid('shell-leftovers')} data-count={shell.leftovers}>
      <span className="shell-note shell-waiting">{t('shells.leftovers', names, more)}</span>
      <Button
        testId="shell-kill"
        size="small"
        look="danger"
        title={t('shells.kill.hint', shell.leftovers)}
        icon={<OctagonX className="icon-small" aria-hidden="true" />}
        onClick={kill}
      >
        {t('pty.kill')}
      </Button>
    </div>
  );
}
