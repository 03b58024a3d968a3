import { useEffect, useState } from 'react';
import type { Settings } from '@/bindings';
import { chooseLocale, type Locale } from '@/i18n';
import { useApp } from '@/state';

/** Keeps the attributes of the page equal to state and settings: theme, language, size, `data-app-state`. */
export function useAppearance(): Locale {
  const status = useApp((state) => state.status);
  const settings = useApp((state) => state.settings);
  const info = useApp((state) => state.info);
  const locale = chooseLocale(settings?.language ?? 'system', info?.system_language ?? navigator.language);
  const theme = useTheme(settings);
  useEffect(() => {
    const page = document.documentElement;
    page.lang = locale;
    page.dataset.locale = locale;
    page.dataset.theme = theme;
    page.dataset.appState = status;
    page.dataset.platform = info?.platform ?? 'linux';
    page.dataset.diffColors = settings?.diff_colors ?? 'standard';
    page.style.setProperty('--ui-scale', String(settings?.ui_scale ?? 100));
  }, [locale, theme, status, info, settings]);
  return locale;
}

function useTheme(settings: Settings | null): 'light' | 'dark' {
  const system = useSystemTheme();
  const wanted = settings?.theme ?? 'system';
  return wanted === 'system' ? system : wanted;
}

function useSystemTheme(): 'light' | 'dark' {
  const [theme, setTheme] = useState<'light' | 'dark'>(() => themeOf(lightQuery().matches));
  useEffect(() => {
    const query = lightQuery();
    const onChange = () => {
      setTheme(themeOf(query.matches));
    };
    query.addEventListener('change', onChange);
    return () => {
      query.removeEventListener('change', onChange);
    };
  }, []);
  return theme;
}

function lightQuery(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: light)');
}

function themeOf(light: boolean): 'light' | 'dark' {
  return light ? 'light' : 'dark';
}
