import { useEffect, useRef, type RefObject } from 'react';
import type { Ask } from '@/bindings';
import { useStatWords, type DiffEditorHandle } from '@/features/diff';
import { announce } from '@/lib/announce';
import { blockedBy } from './blocked';
import { allowDecision, type Feedback } from './CardButtons';
import type { CardActions } from './useCardKeys';
import { useConfirmation, type Confirmation } from './useConfirmation';
import { useFeedback } from './useFeedback';

/** What the card in the dock and the review pane have in common. */
export interface EditCardModel {
  confirmation: Confirmation;
  feedback: Feedback;
  editor: RefObject<DiffEditorHandle | null>;
  actions: CardActions;
}

export function useEditCard(ask: Ask): EditCardModel {
  const confirmation = useConfirmation(ask);
  const feedback = useFeedback(ask);
  const editor = useRef<DiffEditorHandle>(null);
  const statWords = useStatWords();
  const { proposal } = confirmation;
  useShowBlocked(confirmation, editor);
  const actions: CardActions = {
    allow: () => {
      const allowed = allowDecision(confirmation);
      if (allowed) confirmation.decide(allowed);
    },
    reject: () => {
      confirmation.decide({ kind: 'deny', words: null });
    },
    rejectWhy: () => {
      feedback.set(feedback.text ?? '');
    },
    nextChange: () => editor.current?.next(),
    previousChange: () => editor.current?.previous(),
    readStats: () => {
      if (proposal) announce(statWords(proposal));
    },
  };
  return { confirmation, feedback, editor, actions };
}

/** The character that the encoding cannot hold is selected once it is known. */
function useShowBlocked(confirmation: Confirmation, editor: RefObject<DiffEditorHandle | null>): void {
  const blocked = blockedBy(confirmation);
  const place = blocked ? `${blocked.line}:${blocked.column}` : null;
  useEffect(() => {
    if (place === null) return;
    const [line = 1, column = 1] = place.split(':').map(Number);
    editor.current?.select(line, column);
  }, [place, editor]);
}
