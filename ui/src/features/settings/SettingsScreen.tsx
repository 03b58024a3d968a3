import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components';
import { useT, type PlainKey } from '@/i18n';
import { useWorkbench } from '@/state';
import { tid, type TestId } from '@/testids';
import { AppearanceSection, GeneralSection, LanguageSection } from './sections';
import { KeysSection } from './KeysSection';
import { ModelsSection } from './ModelsSection';
import { TerminalSection } from './TerminalSection';
import './settings.css';

const SECTIONS = [
  { name: 'general', testId: 'settings-nav-general', title: 'settings.nav.general', Body: GeneralSection },
  {
    name: 'appearance',
    testId: 'settings-nav-appearance',
    title: 'settings.nav.appearance',
    Body: AppearanceSection,
  },
  {
    name: 'language',
    testId: 'settings-nav-language',
    title: 'settings.nav.language',
    Body: LanguageSection,
  },
  { name: 'models', testId: 'settings-nav-models', title: 'settings.nav.models', Body: ModelsSection },
  {
    name: 'terminal',
    testId: 'settings-nav-terminal',
    title: 'settings.nav.terminal',
    Body: TerminalSection,
  },
  { name: 'keys', testId: 'settings-nav-keys', title: 'settings.nav.keys', Body: KeysSection },
] as const satisfies readonly {
  name: string;
  testId: TestId;
  title: PlainKey;
  Body: () => React.ReactNode;
}[];

type SectionName = (typeof SECTIONS)[number]['name'];

/** Everything a person can set. Changes apply at once. */
export default function SettingsScreen() {
  const t = useT();
  const { ui } = useWorkbench();
  const [open, setOpen] = useState<SectionName>('general');
  const section = SECTIONS.find((candidate) => candidate.name === open) ?? SECTIONS[0];
  const close = () => {
    ui.setState({ route: { name: 'chat' } });
  };
  return (
    <section
      className="settings"
      data-testid={tid('settings')}
      data-value={open}
      data-region="transcript"
      aria-label={t('settings.title')}
    >
      <header className="settings-head">
        <Button
          testId="settings-back"
          look="link"
          icon={<ChevronLeft className="icon-small" aria-hidden="true" />}
          onClick={close}
        >
          {t('settings.back')}
        </Button>
        <h1 className="settings-title">{t('settings.title')}</h1>
      </header>
      <div className="settings-columns">
        <nav className="settings-nav" aria-label={t('settings.title')}>
          {SECTIONS.map(({ name, testId, title }) => (
            <button
              key={name}
              type="button"
              className="settings-nav-item"
              data-testid={testId}
              aria-current={name === open ? 'page' : undefined}
              onClick={() => {
                setOpen(name);
              }}
            >
              {t(title)}
            </button>
          ))}
        </nav>
        <div className="settings-body">
          <h2 className="settings-section">{t(section.title)}</h2>
          <section.Body />
        </div>
      </div>
    </section>
  );
}
