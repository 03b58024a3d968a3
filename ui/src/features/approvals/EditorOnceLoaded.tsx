import { createElement, useEffect, useSyncExternalStore, type ComponentType } from 'react';
import { Loading } from '@/components';
import type { DiffEditorProps } from '@/features/diff';
import { useT } from '@/i18n';
import { loadedEditor, loadEditor, onEditorLoaded } from './editorModule';

/**
 * The editor, which is a large part of the program, loaded on first use. Once it is there it is drawn at once: a lazy
 * component would show first what stands in for it, and keep that for a moment so that it does not flash.
 */
export function EditorOnceLoaded(props: DiffEditorProps) {
  const t = useT();
  const editor: ComponentType<DiffEditorProps> | null = useSyncExternalStore(onEditorLoaded, loadedEditor);
  useEffect(loadEditor, []);
  return editor ? createElement(editor, props) : <Loading text={t('diff.loading')} lines={2} />;
}
