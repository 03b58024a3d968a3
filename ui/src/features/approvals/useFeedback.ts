import type { Ask } from '@/bindings';
import { useLink } from '@/state';
import { useAskDraft } from './askDraft';
import type { Feedback } from './CardButtons';

/** The reason that is being written, kept with the draft of the question. */
export function useFeedback(ask: Ask): Feedback {
  const link = useLink();
  const [draft, change] = useAskDraft(link, ask);
  return {
    text: draft.feedback ?? null,
    set: (text) => {
      change(text === null ? { feedback: undefined } : { feedback: text });
    },
  };
}
