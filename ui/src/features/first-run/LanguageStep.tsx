import { Segmented } from '@/components';
import type { Settings } from '@/bindings';
import { useLocale, useT } from '@/i18n';
import { useApp, useRun, useWorkbench } from '@/state';

/** Language and theme; both apply at once. */
export function LanguageStep() {
  const t = useT();
  const run = useRun();
  const locale = useLocale();
  const { app } = useWorkbench();
  const theme = useApp((state) => state.settings?.theme ?? 'system');
  const change = (patch: Partial<Settings>) => {
    void run(app.changeSettings(patch));
  };
  return (
    <>
      <p className="first-lead">{t('first.language.lead')}</p>
      <div className="first-choice">
        <span className="first-label">{t('settings.language.name')}</span>
        <Segmented
          testId="first-language"
          label={t('settings.language.name')}
          value={locale === 'zh-CN' ? 'zh-CN' : 'en'}
          options={[
            { value: 'en', label: t('language.en') },
            { value: 'zh-CN', label: t('language.zh-CN') },
          ]}
          onChange={(language) => {
            change({ language });
          }}
        />
      </div>
      <div className="first-choice">
        <span className="first-label">{t('settings.theme.name')}</span>
        <Segmented
          testId="first-theme"
          label={t('settings.theme.name')}
          value={theme}
          options={[
            { value: 'system', label: t('settings.theme.system') },
            { value: 'light', label: t('settings.theme.light') },
            { value: 'dark', label: t('settings.theme.dark') },
          ]}
          onChange={(next) => {
            change({ theme: next });
          }}
        />
      </div>
    </>
  );
}
