import type { ItemBody } from '@/bindings';
import { isPlainKey, type Translate } from '@/i18n';

type Notice = Extract<ItemBody, { kind: 'notice' }>;

/** What kind of failure, in words. */
export function kindText(t: Translate, kind: string): string {
  const key = `kind.${kind}`;
  return isPlainKey(key) ? t(key) : t('kind.unknown', kind);
}

/** The sentence of a notice in the window's language; an unknown code has the backend's English. */
export function noticeText(t: Translate, body: Notice): string {
  const { code, text, args } = body;
  const [first = '', second = '', third = ''] = args;
  if (code === 'mode_changed') return t('notice.mode_changed', modeText(t, first), modeText(t, second));
  if (code === 'model_changed') return t('notice.model_changed', first, second);
  if (code === 'error') {
    const reason = t('end.error', kindText(t, first));
    return text === '' || text === reason ? reason : `${reason} — ${text}`;
  }
  // What an earlier version wrote has no arguments; its English has them.
  if (code === 'late_write_saved' && first !== '') return t('notice.late_write_saved', first);
  if (code === 'salvaged_with_gaps' && first !== '') return t('notice.salvaged_with_gaps', Number(first));
  if (code === 'write_interrupted' && first !== '') {
    return third === ''
      ? t('notice.write_interrupted', first)
      : t('notice.write_interrupted.beside', first, third);
  }
  for (const key of [`end.${code}`, `notice.${code}`]) if (isPlainKey(key)) return t(key);
  return text === '' ? code : text;
}

function modeText(t: Translate, mode: string): string {
  const key = `mode.${mode}`;
  return isPlainKey(key) ? t(key) : mode;
}
