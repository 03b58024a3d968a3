import { LanguageDescription } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { classHighlighter, highlightCode } from '@lezer/highlight';

/** A piece of code with one look. */
export interface CodePiece {
  text: string;
  classes: string;
}

/** Colours code; `null` if its language is not known. Loaded on first use, each language by itself. */
export async function highlight(code: string, language: string): Promise<readonly CodePiece[] | null> {
  const description =
    LanguageDescription.matchLanguageName(languages, language, true) ??
    LanguageDescription.matchFilename(languages, `file.${language}`);
  if (!description) return null;
  const support = await description.load();
  const pieces: CodePiece[] = [];
  highlightCode(
    code,
    support.language.parser.parse(code),
    classHighlighter,
    (text, classes) => pieces.push({ text, classes }),
    () => pieces.push({ text: '\n', classes: '' }),
  );
  return pieces;
}
