import { en, type Catalogue, type PlainKey, type TextArgs, type TextKey } from './en';
import type { Locale } from './format';
import { zhCN } from './zh-CN';

/** Gives the sentence of a key in one language. */
export type Translate = <K extends TextKey>(key: K, ...args: TextArgs<K>) => string;

const catalogues = new Map<Locale, Catalogue>([
  ['en', en],
  ['zh-CN', zhCN],
]);

/** Adds a catalogue; tests add the pseudo language. */
export function addCatalogue(locale: Locale, catalogue: Catalogue): void {
  catalogues.set(locale, catalogue);
}

/** The sentences of a language. */
export function translator(locale: Locale): Translate {
  const catalogue: Catalogue = catalogues.get(locale) ?? en;
  return (key, ...args) => {
    const value: unknown = catalogue[key];
    if (typeof value === 'function') return (value as (...given: unknown[]) => string)(...args);
    return String(value);
  };
}

/** Whether a name that came from the backend has a sentence of its own. */
export function isPlainKey(key: string): key is PlainKey {
  return key in en && typeof en[key as TextKey] === 'string';
}

/** The language to use for a setting and what the system says. */
export function chooseLocale(language: 'system' | 'en' | 'zh-CN', systemLanguage: string): Locale {
  if (language !== 'system') return language;
  return systemLanguage.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}
