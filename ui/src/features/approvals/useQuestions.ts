import { useState } from 'react';
import type { Answer, Ask, Question } from '@/bindings';
import { useLink } from '@/state';
import { useAskDraft } from './askDraft';
import { useConfirmation, type Confirmation } from './useConfirmation';

const NOT_ANSWERED: Answer = { options: [], other: null, skipped: false };

/** The answers as they stand, and the way through the questions. */
export interface QuestionsModel {
  confirmation: Confirmation;
  step: number;
  atSummary: boolean;
  isLast: boolean;
  /** The question on screen has an answer. */
  isAnswered: boolean;
  canSubmit: boolean;
  /** The first press of Skip was made. */
  skipArmed: boolean;
  answerOf: (at: number) => Answer;
  change: (at: number, answer: Answer) => void;
  next: () => void;
  back: () => void;
  skip: () => void;
  submit: () => void;
}

function isAnswer(answer: Answer): boolean {
  return answer.skipped || answer.options.length > 0 || (answer.other ?? '').trim() !== '';
}

export function useQuestions(ask: Ask, questions: readonly Question[]): QuestionsModel {
  const link = useLink();
  const confirmation = useConfirmation(ask);
  const [draft, patch] = useAskDraft(link, ask);
  const [skipAt, setSkipAt] = useState<number | null>(null);
  const count = questions.length;
  const step = Math.min(draft.step ?? 0, count);
  const answerOf = (at: number): Answer => draft.answers?.[at] ?? NOT_ANSWERED;
  const all = (changed?: { at: number; answer: Answer }): Answer[] =>
    questions.map((_, at) => (changed?.at === at ? changed.answer : answerOf(at)));

  const submitAll = (answers: readonly Answer[]) => {
    const cleaned = answers.map((answer) => {
      const other = (answer.other ?? '').trim() === '' ? null : answer.other;
      return { ...answer, other, skipped: answer.skipped || (answer.options.length === 0 && other === null) };
    });
    confirmation.decide({ kind: 'answer', answers: cleaned });
  };
  const skip = () => {
    if (skipAt !== step) {
      setSkipAt(step);
      return;
    }
    setSkipAt(null);
    const answers = all({ at: step, answer: { options: [], other: null, skipped: true } });
    patch({ answers, step: count > 1 ? step + 1 : step });
    if (count === 1) submitAll(answers);
  };
  return {
    confirmation,
    step,
    atSummary: count > 1 && step === count,
    isLast: step === count - 1,
    isAnswered: isAnswer(answerOf(step)),
    canSubmit: count > 1 || isAnswer(answerOf(0)),
    skipArmed: skipAt === step,
    answerOf,
    change: (at, answer) => {
      setSkipAt(null);
      patch({ answers: all({ at, answer }) });
    },
    next: () => {
      patch({ step: step + 1 });
    },
    back: () => {
      setSkipAt(null);
      patch({ step: Math.max(0, step - 1) });
    },
    skip,
    submit: () => {
      submitAll(all());
    },
  };
}
