import type { Ask } from '@/bindings';
import type { Translate } from '@/i18n';

/** What a card is called. */
export function titleOf(t: Translate, ask: Ask): string {
  const { preview } = ask;
  switch (preview.kind) {
    case 'edit': {
      const { notebook } = preview.diff;
      return notebook ? t(`notebook.title.${notebook.mode}`, notebook.number) : t('confirm.title.edit');
    }
    case 'write':
      return preview.diff.is_new ? t('confirm.title.write.new') : t('confirm.title.write');
    case 'exec':
      return t('confirm.title.exec');
    case 'questions':
      return t('confirm.title.question.one');
    case 'info':
      return preview.title;
  }
}

/** What it is about, in a few words. */
export function subjectOf(ask: Ask): string {
  const { preview } = ask;
  switch (preview.kind) {
    case 'edit':
    case 'write':
      return preview.diff.display_path;
    case 'exec':
      return preview.command;
    case 'questions':
      return preview.questions[0]?.question ?? '';
    case 'info':
      return ask.tool;
  }
}

/** `data-kind` of a card. */
export function kindOf(ask: Ask): string {
  const { preview } = ask;
  if (preview.kind === 'questions') return 'ask_user_question';
  return preview.kind === 'edit' && preview.diff.notebook ? 'notebook_edit' : preview.kind;
}
