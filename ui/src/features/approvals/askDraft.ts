import type { Answer, Ask } from '@/bindings';
import { useDraft, type SessionLink } from '@/state';

/** What the person has begun to answer; kept by the backend as text. */
export interface AskDraft {
  /** Why it is declined; present while that field is open. */
  feedback?: string | undefined;
  answers?: Answer[];
  /** Which question is on screen. */
  step?: number;
}

export function draftKey(ask: Ask): string {
  return `ask:${ask.proposal_id}`;
}

/** Where the text of the file is kept, once it was changed by hand. Apart from the rest: it changes with every key. */
function textKey(ask: Ask): string {
  return `${draftKey(ask)}:text`;
}

/** Before the text, because an empty file is a text too, and an empty draft is none. */
const TEXT_MARK = '=';

/** The text of the file as the person left it; `null` if they changed nothing. */
export function keptText(link: SessionLink, ask: Ask): string | null {
  const value = link.drafts.get(textKey(ask));
  return value.startsWith(TEXT_MARK) ? value.slice(TEXT_MARK.length) : null;
}

/** Keeps the text of the file; `null` forgets it. */
export function keepText(link: SessionLink, ask: Ask, text: string | null): void {
  link.drafts.set(textKey(ask), text === null ? '' : TEXT_MARK + text);
}

/** The question was answered: what was written for it is not needed any more. */
export function forgetDraft(link: SessionLink, ask: Ask): void {
  keepText(link, ask, null);
  link.drafts.set(draftKey(ask), '');
}

export function parseAskDraft(value: string): AskDraft {
  if (value === '') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** The draft of a question, and how to change parts of it. */
export function useAskDraft(link: SessionLink, ask: Ask): [AskDraft, (patch: AskDraft) => void] {
  const key = draftKey(ask);
  const [value] = useDraft(link, key);
  return [
    parseAskDraft(value),
    (patch) => {
      link.drafts.set(key, JSON.stringify({ ...parseAskDraft(link.drafts.get(key)), ...patch }));
    },
  ];
}
