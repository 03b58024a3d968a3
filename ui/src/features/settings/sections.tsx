import { Segmented } from '@/components';
import { useT } from '@/i18n';
import { useApp } from '@/state';
import { tid } from '@/testids';
import { EditSettings } from './EditSettings';
import { SettingRow } from './SettingRow';
import { useSetting } from './useSetting';

const SCALES = [80, 90, 100, 110, 125, 150, 175, 200] as const;

const MAX_STEPS = 1_000;

export function GeneralSection() {
  const t = useT();
  const enter = useSetting('enter_sends');
  const steps = useSetting('max_steps');
  const editor = useSetting('editor');
  const folder = useApp((state) => state.info?.data_dir ?? '');
  return (
    <>
      <SettingRow
        name="enter_sends"
        title={t('settings.enter.name')}
        text={t('settings.enter.text')}
        onReset={enter.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.enter.name')}
          value={enter.value ? 'sends' : 'newline'}
          options={[
            { value: 'sends', label: t('settings.enter.sends') },
            { value: 'newline', label: t('settings.enter.newline') },
          ]}
          onChange={(value) => {
            enter.set(value === 'sends');
          }}
        />
      </SettingRow>
      <SettingRow
        name="max_steps"
        title={t('settings.steps.name')}
        text={t('settings.steps.text')}
        onReset={steps.reset}
      >
        <input
          className="text-field setting-number numbers"
          data-testid={tid('setting-control')}
          type="number"
          min={1}
          max={MAX_STEPS}
          aria-label={t('settings.steps.name')}
          key={steps.value}
          defaultValue={steps.value}
          onBlur={(event) => {
            const next = Math.round(Number(event.target.value));
            if (next >= 1 && next <= MAX_STEPS) steps.set(next);
          }}
        />
      </SettingRow>
      <EditSettings />
      <SettingRow
        name="editor"
        title={t('settings.editor.name')}
        text={t('settings.editor.text')}
        onReset={editor.reset}
      >
        <input
          className="text-field"
          data-testid={tid('setting-control')}
          type="text"
          spellCheck={false}
          aria-label={t('settings.editor.name')}
          key={editor.value}
          defaultValue={editor.value}
          onBlur={(event) => {
            editor.set(event.target.value.trim());
          }}
        />
      </SettingRow>
      <SettingRow name="data_dir" title={t('settings.data.name')} text={t('settings.data.text')}>
        <code className="setting-path selectable">{folder}</code>
      </SettingRow>
    </>
  );
}

export function AppearanceSection() {
  const t = useT();
  const theme = useSetting('theme');
  const colors = useSetting('diff_colors');
  const scale = useSetting('ui_scale');
  return (
    <>
      <SettingRow
        name="theme"
        title={t('settings.theme.name')}
        text={t('settings.theme.text')}
        onReset={theme.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.theme.name')}
          value={theme.value}
          options={[
            { value: 'system', label: t('settings.theme.system') },
            { value: 'light', label: t('settings.theme.light') },
            { value: 'dark', label: t('settings.theme.dark') },
          ]}
          onChange={theme.set}
        />
      </SettingRow>
      <SettingRow
        name="diff_colors"
        title={t('settings.diff.name')}
        text={t('settings.diff.text')}
        onReset={colors.reset}
      >
        <Segmented
          testId="setting-control"
          label={t('settings.diff.name')}
          value={colors.value}
          options={[
            { value: 'standard', label: t('settings.diff.standard') },
            { value: 'color_blind', label: t('settings.diff.color_blind') },
          ]}
          onChange={colors.set}
        />
      </SettingRow>
      <SettingRow
        name="ui_scale"
        title={t('settings.scale.name')}
        text={t('settings.scale.text')}
        onReset={scale.reset}
      >
        <select
          className="text-field numbers"
          data-testid={tid('setting-control')}
          aria-label={t('settings.scale.name')}
          value={scale.value}
          onChange={(event) => {
            scale.set(Number(event.target.value));
          }}
        >
          {[...new Set([...SCALES, scale.value])]
            .sort((a, b) => a - b)
            .map((percent) => (
              <option key={percent} value={percent}>
                {`${percent} %`}
              </option>
            ))}
        </select>
      </SettingRow>
    </>
  );
}

export function LanguageSection() {
  const t = useT();
  const language = useSetting('language');
  return (
    <SettingRow
      name="language"
      title={t('settings.language.name')}
      text={t('settings.language.text')}
      onReset={language.reset}
    >
      <Segmented
        testId="setting-control"
        label={t('settings.language.name')}
        value={language.value}
        options={[
          { value: 'system', label: t('settings.language.system') },
          { value: 'en', label: t('language.en') },
          { value: 'zh-CN', label: t('language.zh-CN') },
        ]}
        onChange={language.set}
      />
    </SettingRow>
  );
}
