import type { Answer, Ask } from '@/bindings';
import { useDraft, type SessionLink } from '@/state';

/** What the person has begun to answer; kept by the backend as text. */
export interface AskDraft {
  /** The whole file, once it was changed by hand. */
  final_text?: string | undefined;
  /** Why it is declined; present while that field is open. */
  feedback?: string | undefined;
  answers?: Answer[];
  /** Which question is on screen. */
  step?: number;
}

export function draftKey(ask: Ask): string {
  return `ask:${ask.proposal_id}`;
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
