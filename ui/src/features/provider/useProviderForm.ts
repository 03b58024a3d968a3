import { useState } from 'react';
import { newOp, toBackendError, type BackendError } from '@/backend';
import type { ProviderEntry, ProviderTest } from '@/bindings';
import { useWorkbench } from '@/state';

/** A test: not made, under way, or with its result. */
export type TestState =
  | { status: 'none' }
  | { status: 'testing' }
  | { status: 'done'; result: ProviderTest }
  | { status: 'failed'; error: BackendError };

/** A provider in a form, with its test. */
export interface ProviderFormModel {
  entry: ProviderEntry;
  key: string;
  test: TestState;
  change: (patch: Partial<ProviderEntry>) => void;
  setKey: (key: string) => void;
  runTest: () => Promise<void>;
  /** Keeps the entry and the key; the entry becomes the one for new sessions. */
  save: () => Promise<void>;
}

export function emptyEntry(): ProviderEntry {
  return {
    id: 'my-model',
    kind: 'openai_chat',
    base_url: '',
    model: '',
    key_env: null,
    context_window: null,
    vision: null,
  };
}

/** Whether there is enough to ask the server something. */
export function isComplete(entry: ProviderEntry): boolean {
  return entry.id.trim() !== '' && entry.base_url.trim() !== '' && entry.model.trim() !== '';
}

export function useProviderForm(initial: ProviderEntry): ProviderFormModel {
  const workbench = useWorkbench();
  const { backend, app } = workbench;
  const [entry, setEntry] = useState(initial);
  const [key, setKey] = useState('');
  const [test, setTest] = useState<TestState>({ status: 'none' });
  const trimmed: ProviderEntry = {
    ...entry,
    id: entry.id.trim(),
    base_url: entry.base_url.trim(),
    model: entry.model.trim(),
  };

  const runTest = async () => {
    setTest({ status: 'testing' });
    try {
      const result = await backend.call('test_provider', { entry: trimmed, key: key === '' ? null : key });
      setTest({ status: 'done', result });
    } catch (thrown) {
      setTest({ status: 'failed', error: toBackendError(thrown) });
    }
  };
  const save = async () => {
    const settings = app.store.getState().settings;
    const others = (settings?.providers ?? []).filter(
      (other) => other.id !== trimmed.id && other.id !== initial.id,
    );
    await app.changeSettings({ providers: [...others, trimmed], provider: trimmed.id });
    if (key !== '') {
      await backend.call('set_provider_key', { op: newOp(), provider_id: trimmed.id, key });
      setKey('');
    }
    await app.refreshInfo();
  };
  return {
    entry,
    key,
    test,
    change: (patch) => {
      setEntry({ ...entry, ...patch });
      setTest({ status: 'none' });
    },
    setKey: (next) => {
      setKey(next);
      setTest({ status: 'none' });
    },
    runTest,
    save,
  };
}
