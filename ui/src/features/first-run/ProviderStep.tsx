import { useState } from 'react';
import {
  emptyEntry,
  isComplete,
  ProviderForm,
  useProviderForm,
  type ProviderFormModel,
} from '@/features/provider';
import { useT, type PlainKey } from '@/i18n';
import { useWorkbench } from '@/state';
import { tid, type TestId } from '@/testids';

/** Which model: the scripted demo, or a server of the person's own. */
export interface ProviderStepModel {
  choice: 'demo' | 'own';
  setChoice: (choice: 'demo' | 'own') => void;
  form: ProviderFormModel;
  canKeep: boolean;
  keep: () => Promise<void>;
}

export function useProviderStep(): ProviderStepModel {
  const { app } = useWorkbench();
  const [choice, setChoice] = useState<'demo' | 'own'>('demo');
  const form = useProviderForm(emptyEntry());
  return {
    choice,
    setChoice,
    form,
    canKeep: choice === 'demo' || isComplete(form.entry),
    keep: async () => {
      if (choice === 'own') await form.save();
      else await app.changeSettings({ provider: 'demo' });
    },
  };
}

const CHOICES = [
  {
    value: 'demo',
    testId: 'first-provider-demo',
    title: 'first.provider.demo',
    text: 'first.provider.demo.text',
  },
  {
    value: 'own',
    testId: 'first-provider-own',
    title: 'first.provider.own',
    text: 'first.provider.own.text',
  },
] as const satisfies readonly { value: string; testId: TestId; title: PlainKey; text: PlainKey }[];

export function ProviderStep({ model }: { model: ProviderStepModel }) {
  const t = useT();
  return (
    <>
      <p className="first-lead">{t('first.provider.lead')}</p>
      <div className="first-cards" role="radiogroup" aria-label={t('first.step.provider')}>
        {CHOICES.map(({ value, testId, title, text }) => (
          <label key={value} className="first-option" data-on={model.choice === value}>
            <input
              type="radio"
              name="first-provider"
              data-testid={tid(testId)}
              checked={model.choice === value}
              onChange={() => {
                model.setChoice(value);
              }}
            />
            <span>
              <span className="first-option-title">{t(title)}</span>
              <span className="first-option-text">{t(text)}</span>
            </span>
          </label>
        ))}
      </div>
      {model.choice === 'own' ? (
        <>
          <ProviderForm form={model.form} ids={{ test: 'first-test', result: 'first-test-result' }} />
          <p className="first-option-text">{t('provider.anyway')}</p>
        </>
      ) : null}
    </>
  );
}
