import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  indentUnit,
  LanguageDescription,
  syntaxHighlighting,
  type LanguageSupport,
} from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { SPECIAL, specialLabel } from '@/lib/special';

/** Larger files are not coloured. */
const MAX_COLOURED_CHARS = 1_000_000;

/** Keys that belong to the approval around the editor. */
const LEFT_TO_THE_CARD = new Set(['Mod-Enter', 'Shift-Mod-k', 'Mod-Alt-\\']);

export const languageCompartment = new Compartment();
export const wrapCompartment = new Compartment();

/** What every editor of a diff has. The text has LF line ends only; a lone CR is a character like others. */
export function baseExtensions(label: string, text: string): Extension[] {
  return [
    EditorState.lineSeparator.of('\n'),
    EditorState.tabSize.of(4),
    indentUnit.of(indentOf(text)),
    highlightSpecialChars({ specialChars: SPECIAL, render: drawSpecial }),
    syntaxHighlighting(classHighlighter),
    bracketMatching(),
    languageCompartment.of([]),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocorrect: 'off' }),
  ];
}

/** What only an editor has in which a person types: undo, several cursors, search; nothing that types by itself. */
export function editingExtensions(): Extension[] {
  return [
    history(),
    // The text has LF line ends, whatever a text from elsewhere has; the file gets its own back.
    EditorView.clipboardInputFilter.of((text) => text.replaceAll('\r\n', '\n')),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    search({ top: true }),
    keymap.of(
      [...defaultKeymap, ...historyKeymap, ...searchKeymap].filter(
        (binding) => binding.key === undefined || !LEFT_TO_THE_CARD.has(binding.key),
      ),
    ),
  ];
}

/** An editor to read in. The focus can still be put into it, to select and to search. */
export function readingExtensions(): Extension[] {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0' }),
  ];
}

function drawSpecial(code: number): HTMLElement {
  const mark = document.createElement('span');
  mark.className = 'special-char';
  mark.textContent = specialLabel(String.fromCodePoint(code));
  return mark;
}

/** The file's own way to indent: the first indented line decides. */
function indentOf(text: string): string {
  const found = /^(\t|[ ]{2,8})\S/m.exec(text)?.[1];
  if (found === undefined) return '    ';
  return found.startsWith('\t') ? '\t' : ' '.repeat(found.length % 4 === 0 ? 4 : 2);
}

/** Loads the colours of a language by the name of the file. */
export async function loadLanguage(path: string, text: string): Promise<LanguageSupport | null> {
  if (text.length > MAX_COLOURED_CHARS) return null;
  const name = path.split(/[\\/]/).at(-1) ?? path;
  const description = LanguageDescription.matchFilename(languages, name);
  return description ? description.load() : null;
}
