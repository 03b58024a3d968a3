import type { ReactNode } from 'react';
import type { Ask, Preview } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { ActButton } from './ActButton';
import { CardFrame } from './CardFrame';
import { QuestionForm } from './QuestionForm';
import { QuestionSummary } from './QuestionSummary';
import { useQuestions } from './useQuestions';
import './question.css';

interface Props {
  ask: Ask;
  preview: Extract<Preview, { kind: 'questions' }>;
  counter: ReactNode;
}

/** Questions of the agent, one after the other; several end with a summary. */
export function QuestionCard({ ask, preview, counter }: Props) {
  const t = useT();
  const { questions } = preview;
  const model = useQuestions(ask, questions);
  const { confirmation, step, atSummary, isLast } = model;
  const question = questions[step];
  const title =
    questions.length > 1 && !atSummary
      ? t('confirm.title.question', step + 1, questions.length)
      : atSummary
        ? t('question.summary')
        : t('confirm.title.question.one');
  const submits = atSummary || (isLast && questions.length === 1);
  return (
    <CardFrame
      confirmation={confirmation}
      title={title}
      counter={counter}
      actions={submits && model.canSubmit ? { allow: model.submit } : {}}
      footer={
        <div className="question-buttons">
          {submits ? (
            <ActButton
              testId="question-submit"
              look="primary"
              size="large"
              armed={confirmation.armed}
              disabled={!model.canSubmit}
              onAct={model.submit}
            >
              {t('question.submit')}
            </ActButton>
          ) : (
            <Button
              testId="question-next"
              look="primary"
              size="large"
              disabled={!model.isAnswered}
              onClick={model.next}
            >
              {t('question.next')}
            </Button>
          )}
          {step > 0 ? (
            <Button testId="question-back" size="large" onClick={model.back}>
              {t('question.back')}
            </Button>
          ) : null}
          <span className="confirm-space" />
          {atSummary ? null : (
            <ActButton testId="question-skip" size="large" armed={confirmation.armed} onAct={model.skip}>
              {model.skipArmed ? t('question.skip.again') : t('question.skip')}
            </ActButton>
          )}
        </div>
      }
    >
      {question && !atSummary ? (
        <QuestionForm
          key={step}
          index={step}
          question={question}
          answer={model.answerOf(step)}
          onChange={(answer) => {
            model.change(step, answer);
          }}
        />
      ) : (
        <QuestionSummary questions={questions} answerOf={model.answerOf} />
      )}
    </CardFrame>
  );
}
