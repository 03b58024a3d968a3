import type { ShellInfo } from '@/bindings';
import { useT } from '@/i18n';
import { tid } from '@/testids';

/** Whose the keys are, and what the program seems to wait for. */
export function PtyBanner({ shell, hidden }: { shell: ShellInfo; hidden: boolean }) {
  const t = useT();
  const owned = shell.input_owner === 'human';
  const parts = [t(`pty.owner.${shell.input_owner}`)];
  if (owned && hidden) parts.push(t('pty.hidden.note'));
  else if (shell.echo_off) parts.push(t('pty.echo'));
  if (shell.waiting && !owned) parts.push(t('pty.waiting'));
  return (
    <p
      className="pty-banner"
      data-testid={tid('pty-input-banner')}
      data-owner={shell.input_owner}
      data-waiting={shell.waiting}
      data-echo-off={shell.echo_off}
      role="status"
    >
      {parts.join(' · ')}
    </p>
  );
}
