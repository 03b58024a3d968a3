import type { Answer, Question } from '@/bindings';
import { VisibleText } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';

/** Every question with its answer, before they are sent. */
export function QuestionSummary({
  questions,
  answerOf,
}: {
  questions: readonly Question[];
  answerOf: (at: number) => Answer;
}) {
  const t = useT();
  return (
    <dl className="question-summary selectable" data-testid={tid('question-preview')}>
      {questions.map((question, at) => {
        const answer = answerOf(at);
        const parts = [
          ...answer.options,
          ...((answer.other ?? '').trim() === '' ? [] : [answer.other ?? '']),
        ];
        return (
          <div key={question.question}>
            <dt>
              <VisibleText text={question.question} />
            </dt>
            <dd>
              {parts.length === 0 ? (
                <span className="muted">{t('question.unanswered')}</span>
              ) : (
                <VisibleText text={parts.join(' · ')} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
