import { useId, useState } from 'react';
import type { Answer, Question } from '@/bindings';
import { VisibleText } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';

interface Props {
  index: number;
  question: Question;
  answer: Answer;
  onChange: (answer: Answer) => void;
}

/** One question: options, and the person's own words, which are always part of the answer. */
export function QuestionForm({ index, question, answer, onChange }: Props) {
  const t = useT();
  const name = useId();
  const multi = question.multi_select;
  const other = answer.other ?? '';
  const [otherOn, setOtherOn] = useState(other !== '');
  const chosen = (label: string) => answer.options.includes(label);
  const choose = (label: string) => {
    if (!multi) {
      setOtherOn(false);
      onChange({ ...answer, options: [label], skipped: false });
      return;
    }
    const options = chosen(label)
      ? answer.options.filter((one) => one !== label)
      : [...answer.options, label];
    onChange({ ...answer, options, skipped: false });
  };
  const chooseOther = () => {
    setOtherOn(multi ? !otherOn : true);
    if (!multi) onChange({ ...answer, options: [], skipped: false });
  };
  const isOtherOn = multi
    ? otherOn || other !== ''
    : otherOn || (other !== '' && answer.options.length === 0);
  return (
    <div
      className="question"
      role={multi ? 'group' : 'radiogroup'}
      aria-labelledby={`${name}-text`}
      data-testid={tid('question-item')}
      data-key={index}
      data-kind={multi ? 'multi' : 'single'}
    >
      <p id={`${name}-text`} className="question-text selectable">
        {question.header === '' ? null : <span className="question-header">{question.header}</span>}
        <VisibleText text={question.question} />
        {multi ? <span className="question-note">{t('question.multi')}</span> : null}
      </p>
      {question.options.map((option, at) => (
        <label key={option.label} className="question-option">
          <input
            type={multi ? 'checkbox' : 'radio'}
            name={name}
            data-testid={tid('question-option')}
            data-key={at}
            data-state={chosen(option.label) ? 'on' : 'off'}
            checked={chosen(option.label)}
            onChange={() => {
              choose(option.label);
            }}
          />
          <span>
            <VisibleText text={option.label} />
            {option.description === '' ? null : (
              <span className="question-description">
                <VisibleText text={option.description} />
              </span>
            )}
          </span>
        </label>
      ))}
      <label className="question-option">
        <input
          type={multi ? 'checkbox' : 'radio'}
          name={name}
          data-testid={tid('question-other')}
          data-state={isOtherOn ? 'on' : 'off'}
          checked={isOtherOn}
          onChange={chooseOther}
        />
        <span>{t('question.other')}</span>
      </label>
      <div className="question-own">
        <input
          type="text"
          className="text-field"
          data-testid={tid('question-other-input')}
          aria-label={t('question.other.label')}
          aria-describedby={`${name}-note`}
          value={other}
          onChange={(event) => {
            // Typing chooses “Other”, but only as long as nothing else was chosen on purpose afterwards.
            const first = other === '' && event.target.value !== '';
            if (first) setOtherOn(true);
            onChange({
              ...answer,
              other: event.target.value,
              options: first && !multi ? [] : answer.options,
              skipped: false,
            });
          }}
        />
        <p id={`${name}-note`} className="question-note">
          {t('question.other.note')}
        </p>
      </div>
    </div>
  );
}
