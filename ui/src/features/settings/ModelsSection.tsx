import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ProviderEntry, ProviderState } from '@/bindings';
import { Button } from '@/components';
import { emptyEntry, isComplete, ProviderForm, useProviderForm } from '@/features/provider';
import { useT } from '@/i18n';
import { useApp, useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** Model providers: which there are, which one new sessions use, and a form for each. */
export function ModelsSection() {
  const t = useT();
  const providers = useApp((state) => state.info?.providers) ?? [];
  const [adding, setAdding] = useState(false);
  return (
    <div className="providers">
      <p className="setting-text">{t('settings.provider.intro')}</p>
      {providers.map((provider) => (
        <ProviderCard key={provider.entry.id} provider={provider} />
      ))}
      {adding ? (
        <div className="provider-card">
          <EditProvider
            entry={freshEntry(providers)}
            onDone={() => {
              setAdding(false);
            }}
          />
        </div>
      ) : (
        <div>
          <Button
            testId="provider-add"
            icon={<Plus className="icon-small" aria-hidden="true" />}
            onClick={() => {
              setAdding(true);
            }}
          >
            {t('settings.provider.add')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** A name nobody has yet. */
function freshEntry(providers: readonly ProviderState[]): ProviderEntry {
  const entry = emptyEntry();
  const taken = new Set(providers.map((provider) => provider.entry.id));
  let id = entry.id;
  for (let number = 2; taken.has(id); number += 1) id = `${entry.id}-${number}`;
  return { ...entry, id };
}

function ProviderCard({ provider }: { provider: ProviderState }) {
  const t = useT();
  const run = useRun();
  const { app } = useWorkbench();
  const inUse = useApp((state) => state.settings?.provider) === provider.entry.id;
  const [editing, setEditing] = useState(false);
  const { entry } = provider;
  const isDemo = entry.kind === 'demo';
  const remove = async () => {
    const settings = app.store.getState().settings;
    const providers = (settings?.providers ?? []).filter((other) => other.id !== entry.id);
    await app.changeSettings({ providers, ...(inUse ? { provider: 'demo' } : {}) });
    await app.refreshInfo();
  };
  return (
    <div
      className="provider-card"
      data-testid={tid('provider-row')}
      data-key={entry.id}
      data-state={inUse ? 'on' : 'off'}
    >
      <div className="provider-head">
        <div className="provider-words">
          <p className="setting-name">{isDemo ? t('model.demo') : `${entry.model} · ${entry.id}`}</p>
          <p className="setting-text">
            {isDemo ? t('first.provider.demo.text') : entry.base_url}
            {isDemo
              ? null
              : ` — ${provider.has_key ? t('settings.provider.key.known') : t('settings.provider.key.none')}`}
          </p>
        </div>
        {inUse ? (
          <span className="provider-used">{t('settings.provider.default')}</span>
        ) : (
          <Button
            testId="provider-use"
            size="small"
            onClick={() => run(app.changeSettings({ provider: entry.id }))}
          >
            {t('settings.provider.use')}
          </Button>
        )}
        {isDemo ? null : (
          <>
            <Button
              testId="provider-edit"
              size="small"
              aria-expanded={editing}
              onClick={() => {
                setEditing(!editing);
              }}
            >
              {t('common.edit')}
            </Button>
            <Button testId="provider-remove" size="small" look="danger" onClick={() => run(remove())}>
              {t('common.remove')}
            </Button>
          </>
        )}
      </div>
      {editing ? (
        <EditProvider
          entry={entry}
          onDone={() => {
            setEditing(false);
          }}
        />
      ) : null}
    </div>
  );
}

function EditProvider({ entry, onDone }: { entry: ProviderEntry; onDone: () => void }) {
  const t = useT();
  const run = useRun();
  const { toasts } = useWorkbench();
  const form = useProviderForm(entry);
  const save = async () => {
    await form.save();
    toasts.show({ kind: 'success', text: t('settings.provider.saved') });
    onDone();
  };
  return (
    <div className="provider-edit">
      <ProviderForm form={form} ids={{ test: 'model-test', result: 'model-test-result' }} />
      <div className="provider-actions">
        <Button
          testId="provider-save"
          look="primary"
          disabled={!isComplete(form.entry)}
          onClick={() => run(save())}
        >
          {t('common.save')}
        </Button>
        <Button testId="provider-cancel" onClick={onDone}>
          {t('common.cancel')}
        </Button>
      </div>
    </div>
  );
}
