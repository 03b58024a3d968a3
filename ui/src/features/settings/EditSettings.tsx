import { useT } from '@/i18n';
import { ChoiceRow, SwitchRow } from './ChoiceRow';

/** How the model may change files. */
export function EditSettings() {
  const t = useT();
  return (
    <>
      <ChoiceRow
        name="edit_profile"
        title={t('settings.edits.name')}
        text={t('settings.edits.text')}
        options={[
          ['exact', t('settings.edits.exact')],
          ['safe', t('settings.edits.safe')],
          ['extended', t('settings.edits.extended')],
        ]}
      />
      <SwitchRow name="apply_patch" title={t('settings.patch.name')} text={t('settings.patch.text')} />
    </>
  );
}
