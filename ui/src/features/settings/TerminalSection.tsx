import { useT } from '@/i18n';
import { ChoiceRow } from './ChoiceRow';
import { SandboxSettings } from './SandboxSettings';

/** What commands are kept in, and what becomes of them when their time is over and when the window is closed. */
export function TerminalSection() {
  const t = useT();
  return (
    <>
      <SandboxSettings />
      <ChoiceRow
        name="shell_on_timeout"
        title={t('settings.timeout.name')}
        text={t('settings.timeout.text')}
        options={[
          ['auto', t('settings.timeout.auto')],
          ['kill', t('settings.timeout.kill')],
          ['background', t('settings.timeout.background')],
        ]}
      />
      <ChoiceRow
        name="ask_before_quit"
        title={t('settings.quit.name')}
        text={t('settings.quit.text')}
        options={[
          [true, t('settings.quit.ask')],
          [false, t('settings.quit.stop')],
        ]}
      />
      <ChoiceRow
        name="kill_leftovers_on_quit"
        title={t('settings.leftovers.name')}
        text={t('settings.leftovers.text')}
        options={[
          [true, t('settings.leftovers.end')],
          [false, t('settings.leftovers.leave')],
        ]}
      />
    </>
  );
}
