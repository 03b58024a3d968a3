import { Segmented } from '@/components';
import { useT } from '@/i18n';
import { SettingRow } from './SettingRow';
import { useSetting } from './useSetting';

/** What becomes of commands when their time is over, and when the window is closed. */
export function TerminalSection() {
  const t = useT();
  const onTimeout = useSetting('shell_on_timeout');
  const quit = useSetting('ask_before_quit');
  return (
    <>
      <SettingRow
        name="shell_on_timeout"
        title={t('settings.timeout.name')}
        text={t('settings.timeout.text')}
        onReset={onTimeout.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.timeout.name')}
          value={onTimeout.value}
          options={[
            { value: 'auto', label: t('settings.timeout.auto') },
            { value: 'kill', label: t('settings.timeout.kill') },
            { value: 'background', label: t('settings.timeout.background') },
          ]}
          onChange={onTimeout.set}
        />
      </SettingRow>
      <SettingRow
        name="ask_before_quit"
        title={t('settings.quit.name')}
        text={t('settings.quit.text')}
        onReset={quit.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.quit.name')}
          value={quit.value ? 'ask' : 'stop'}
          options={[
            { value: 'ask', label: t('settings.quit.ask') },
            { value: 'stop', label: t('settings.quit.stop') },
          ]}
          onChange={(value) => {
            quit.set(value === 'ask');
          }}
        />
      </SettingRow>
    </>
  );
}
