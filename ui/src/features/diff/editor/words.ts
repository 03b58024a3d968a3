import type { FileDiff } from '@/bindings';
import type { Translate } from '@/i18n';
import type { CollapseWords } from './collapse';
import type { DeletedWords } from './deleted';
import type { GutterWords } from './gutters';
import type { BarWords } from './hunkBar';
import type { LineWords } from './marks';

/** Every word inside an editor, in the window's language. */
export interface EditorWords {
  deleted: DeletedWords;
  lines: LineWords;
  gutter: GutterWords;
  collapse: CollapseWords;
  bar: BarWords;
  noLineEnd: string;
  before: string;
  after: string;
}

export function editorWords(t: Translate, { display_path: path, notebook }: FileDiff): EditorWords {
  return {
    deleted: { removed: t('diff.line.removed') },
    lines: { ai: t('diff.line.ai'), human: t('diff.line.human') },
    gutter: {
      ai: t('diff.mark.ai'),
      human: t('diff.mark.human'),
      dropped: (lines) => t('diff.line.dropped', lines),
    },
    collapse: {
      all: (lines) => t('diff.collapsed', lines),
      hint: t('diff.collapsed.hint'),
      some: (lines) => t('diff.collapsed.some', lines),
    },
    bar: {
      original: t('diff.original'),
      restore: t('diff.restore'),
      hunk: (at, total) => t('diff.hunk', at, total),
    },
    // The last line of a cell never has one.
    noLineEnd: notebook ? '' : t('file.noend'),
    before: t('diff.before', path),
    after: t('diff.editor', path),
  };
}
