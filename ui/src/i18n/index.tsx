import { createContext, useContext, useMemo, type ReactNode } from 'react';
import type { Locale } from './format';
import { translator, type Translate } from './text';

export type { PlainKey, TextArgs, TextKey } from './en';
export * from './format';
export { addCatalogue, chooseLocale, isPlainKey, translator, type Translate } from './text';

interface Language {
  locale: Locale;
  t: Translate;
}

const LanguageContext = createContext<Language>({ locale: 'en', t: translator('en') });

/** Gives a language to everything inside. */
export function LanguageProvider({ locale, children }: { locale: Locale; children: ReactNode }) {
  const language = useMemo(() => ({ locale, t: translator(locale) }), [locale]);
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

/** The sentences of the window's language. */
export function useT(): Translate {
  return useContext(LanguageContext).t;
}

/** The window's language. */
export function useLocale(): Locale {
  return useContext(LanguageContext).locale;
}
