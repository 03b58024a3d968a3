import type { Settings } from '@/bindings';
import { Segmented } from '@/components';
import { useT } from '@/i18n';
import { SettingRow } from './SettingRow';
import { type SettingName, useSetting } from './useSetting';

interface Props<K extends SettingName> {
  name: K;
  title: string;
  text: string;
  /** Value and label; every value the setting can have. */
  options: readonly (readonly [Settings[K], string])[];
}

/** A setting that is one of a few values. */
export function ChoiceRow<K extends SettingName>({ name, title, text, options }: Props<K>) {
  const setting = useSetting(name);
  return (
    <SettingRow name={name} title={title} text={text} onReset={setting.reset}>
      <Segmented
        testId="setting-control"
        label={title}
        value={String(setting.value)}
        options={options.map(([value, label]) => ({ value: String(value), label }))}
        onChange={(chosen) => {
          const option = options.find(([value]) => String(value) === chosen);
          if (option) setting.set(option[0]);
        }}
      />
    </SettingRow>
  );
}

/** A setting that is on or off. */
export function SwitchRow({ name, title, text }: Pick<Props<SwitchName>, 'name' | 'title' | 'text'>) {
  const t = useT();
  const options = [
    [false, t('settings.off')],
    [true, t('settings.on')],
  ] as const;
  return <ChoiceRow name={name} title={title} text={text} options={options} />;
}

type SwitchName = { [K in SettingName]: Settings[K] extends boolean ? K : never }[SettingName];
