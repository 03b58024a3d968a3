import { useT } from '@/i18n';
import { ChoiceRow, SwitchRow } from './ChoiceRow';

/** What commands are kept in. */
export function SandboxSettings() {
  const t = useT();
  return (
    <>
      <ChoiceRow
        name="sandbox"
        title={t('settings.sandbox.name')}
        text={t('settings.sandbox.text')}
        options={[
          ['off', t('settings.off')],
          ['workspace_write', t('sandbox.workspace_write')],
          ['read_only', t('sandbox.read_only')],
        ]}
      />
      <SwitchRow
        name="sandbox_network"
        title={t('settings.sandbox_network.name')}
        text={t('settings.sandbox_network.text')}
      />
      <SwitchRow
        name="sandbox_required"
        title={t('settings.sandbox_required.name')}
        text={t('settings.sandbox_required.text')}
      />
    </>
  );
}
