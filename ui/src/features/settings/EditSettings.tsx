import { Segmented } from '@/components';
import { useT } from '@/i18n';
import { SettingRow } from './SettingRow';
import { useSetting } from './useSetting';

/** How the model may change files. */
export function EditSettings() {
  const t = useT();
  const profile = useSetting('edit_profile');
  const patch = useSetting('apply_patch');
  return (
    <>
      <SettingRow
        name="edit_profile"
        title={t('settings.edits.name')}
        text={t('settings.edits.text')}
        onReset={profile.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.edits.name')}
          value={profile.value}
          options={[
            { value: 'exact', label: t('settings.edits.exact') },
            { value: 'safe', label: t('settings.edits.safe') },
            { value: 'extended', label: t('settings.edits.extended') },
          ]}
          onChange={profile.set}
        />
      </SettingRow>
      <SettingRow
        name="apply_patch"
        title={t('settings.patch.name')}
        text={t('settings.patch.text')}
        onReset={patch.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.patch.name')}
          value={patch.value ? 'on' : 'off'}
          options={[
            { value: 'off', label: t('settings.patch.off') },
            { value: 'on', label: t('settings.patch.on') },
          ]}
          onChange={(value) => {
            patch.set(value === 'on');
          }}
        />
      </SettingRow>
    </>
  );
}
