import { toBackendError } from '@/backend';
import type { Settings } from '@/bindings';
import { useT } from '@/i18n';
import { useApp, useErrorText, useWorkbench } from '@/state';

/** What a setting is as long as nobody changed it. The backend has the same. */
const INITIAL = {
  language: 'system',
  theme: 'system',
  diff_colors: 'standard',
  enter_sends: true,
  ui_scale: 100,
  max_steps: 50,
  edit_profile: 'safe',
  apply_patch: false,
  editor: '',
  shell_on_timeout: 'auto',
  ask_before_quit: true,
  kill_leftovers_on_quit: true,
  sandbox: 'off',
  sandbox_network: false,
  sandbox_required: false,
} as const satisfies Partial<Settings>;

export type SettingName = keyof typeof INITIAL;

/** A setting, how to change it (with a way back), and how to reset it. */
export function useSetting<K extends SettingName>(name: K) {
  const t = useT();
  const { app, toasts } = useWorkbench();
  const errorText = useErrorText();
  const value = useApp((state) => state.settings?.[name]) ?? INITIAL[name];
  const apply = (next: Settings[K]) =>
    app.changeSettings({ [name]: next }).catch((thrown: unknown) => {
      toasts.show({ kind: 'error', text: `${t('settings.refused')}. ${errorText(toBackendError(thrown))}` });
    });
  const set = (next: Settings[K]) => {
    if (next === value) return;
    void apply(next).then(() => {
      const undo = { label: t('common.undo'), run: () => void apply(value as Settings[K]) };
      toasts.show({ kind: 'success', text: t('settings.changed'), action: undo });
    });
  };
  const reset = value === INITIAL[name] ? undefined : () => set(INITIAL[name] as Settings[K]);
  return { value: value as Settings[K], set, reset };
}
