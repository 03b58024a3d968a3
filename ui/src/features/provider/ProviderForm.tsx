import { CircleAlert, CircleCheck } from 'lucide-react';
import { Button } from '@/components';
import { formatDuration, isPlainKey, useT } from '@/i18n';
import { useErrorText } from '@/state';
import { tid, type TestId } from '@/testids';
import { Field } from './Field';
import { isComplete, type ProviderFormModel } from './useProviderForm';
import './provider.css';

/** What an address looks like; the same in every language. */
const EXAMPLE_URL = 'http://127.0.0.1:8080/v1';

/** What the choice about pictures means in the entry; what is missing leaves it to the name of the model. */
const VISION = new Map([
  ['true', true],
  ['false', false],
]);

interface Ids {
  test: TestId;
  result: TestId;
}

/** Address, model and key of a provider, and a button that tries them. */
export function ProviderForm({ form, ids }: { form: ProviderFormModel; ids: Ids }) {
  const t = useT();
  const { entry, change } = form;
  return (
    <div className="provider-form">
      <Field label={t('provider.name')} hint={t('provider.name.hint')}>
        {(field) => (
          <input
            {...field}
            data-testid={tid('provider-id')}
            value={entry.id}
            onChange={(event) => {
              change({ id: event.target.value });
            }}
          />
        )}
      </Field>
      <Field label={t('provider.kind')}>
        {(field) => (
          <select
            {...field}
            data-testid={tid('provider-kind')}
            value={entry.kind}
            onChange={() => {
              change({ kind: 'openai_chat' });
            }}
          >
            <option value="openai_chat">{t('provider.kind.openai_chat')}</option>
          </select>
        )}
      </Field>
      <Field label={t('provider.url')}>
        {(field) => (
          <input
            {...field}
            data-testid={tid('provider-url')}
            type="url"
            inputMode="url"
            placeholder={EXAMPLE_URL}
            value={entry.base_url}
            onChange={(event) => {
              change({ base_url: event.target.value });
            }}
          />
        )}
      </Field>
      <Field label={t('provider.model')}>
        {(field) => (
          <input
            {...field}
            data-testid={tid('provider-model')}
            value={entry.model}
            onChange={(event) => {
              change({ model: event.target.value });
            }}
          />
        )}
      </Field>
      <Field label={t('provider.key')} hint={t('provider.key.hint')}>
        {(field) => (
          <input
            {...field}
            data-testid={tid('provider-key')}
            type="password"
            autoComplete="off"
            value={form.key}
            onChange={(event) => {
              form.setKey(event.target.value);
            }}
          />
        )}
      </Field>
      <Field label={t('provider.window')} hint={t('provider.window.hint')}>
        {(field) => (
          <input
            {...field}
            data-testid={tid('provider-window')}
            inputMode="numeric"
            value={entry.context_window ?? ''}
            onChange={(event) => {
              const number = Number.parseInt(event.target.value, 10);
              change({ context_window: Number.isNaN(number) ? null : number });
            }}
          />
        )}
      </Field>
      <Field label={t('provider.vision')} hint={t('provider.vision.hint')}>
        {(field) => (
          <select
            {...field}
            data-testid={tid('provider-vision')}
            value={String(entry.vision)}
            onChange={(event) => {
              change({ vision: VISION.get(event.target.value) ?? null });
            }}
          >
            <option value="null">{t('provider.vision.by_name')}</option>
            <option value="true">{t('provider.vision.yes')}</option>
            <option value="false">{t('provider.vision.no')}</option>
          </select>
        )}
      </Field>
      <div className="provider-test">
        <Button
          testId={ids.test}
          disabled={!isComplete(entry) || form.test.status === 'testing'}
          onClick={() => void form.runTest()}
        >
          {form.test.status === 'testing' ? t('provider.testing') : t('provider.test')}
        </Button>
        <TestResult form={form} testId={ids.result} />
      </div>
    </div>
  );
}

function TestResult({ form, testId }: { form: ProviderFormModel; testId: TestId }) {
  const t = useT();
  const errorText = useErrorText();
  const { test } = form;
  const words = resultWords();
  return (
    <p
      className="provider-result"
      data-testid={testId}
      data-state={words.state}
      data-value={words.code}
      role="status"
    >
      {words.state === 'ok' ? <CircleCheck className="icon-small" aria-hidden="true" /> : null}
      {words.state === 'failed' ? <CircleAlert className="icon-small" aria-hidden="true" /> : null}
      <span className="selectable">{words.text}</span>
    </p>
  );

  function resultWords(): { state: 'none' | 'testing' | 'ok' | 'failed'; code: string; text: string } {
    switch (test.status) {
      case 'none':
        return { state: 'none', code: '', text: t('provider.test.note') };
      case 'testing':
        return { state: 'testing', code: '', text: t('provider.testing') };
      case 'failed':
        return { state: 'failed', code: test.error.code, text: errorText(test.error) };
      case 'done':
        break;
    }
    const { ok, code, message, first_byte_ms: ms } = test.result;
    if (ok)
      return {
        state: 'ok',
        code,
        text: ms === null ? t('provider.result.ok') : t('provider.result.ok.ms', formatDuration(ms)),
      };
    const key = `provider.result.${code}`;
    const sentence = isPlainKey(key) ? `${t(key)} ${message}` : t('provider.result.other', message);
    return { state: 'failed', code, text: sentence.trim() };
  }
}
