import { ChevronDown } from 'lucide-react';
import { newOp } from '@/backend';
import type { ProviderState } from '@/bindings';
import { Button, Menu, MenuHeading, MenuItem } from '@/components';
import { useT } from '@/i18n';
import { useApp, useCurrent, useCurrentLink, useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** The model of the session, and the others that could take over. */
export function ModelMenu() {
  const t = useT();
  const link = useCurrentLink();
  const providers = useApp((state) => state.info?.providers);
  const fallback = useApp((state) => state.settings?.provider ?? '');
  const inUse = useCurrent((session) => session.summary.origin, null);
  const current = inUse?.provider ?? fallback;
  const entry = providers?.find((provider) => provider.entry.id === current);
  const name = inUse?.model ?? entry?.entry.model ?? t('model.none');
  const trigger = (
    <Button
      testId="app-model"
      look="quiet"
      size="small"
      aria-label={t('model.label', name)}
      data-value={current}
    >
      <span className="truncate titlebar-choice">{name}</span>
      <ChevronDown className="icon-small" aria-hidden="true" />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <div data-testid={tid('model-menu')}>
        <MenuHeading>{link ? t('model.note') : t('model.menu')}</MenuHeading>
        {providers?.map((provider) => (
          <ModelItem key={provider.entry.id} provider={provider} current={current} />
        ))}
      </div>
    </Menu>
  );
}

function ModelItem({ provider, current }: { provider: ProviderState; current: string }) {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const link = useCurrentLink();
  const { id, kind, model } = provider.entry;
  const lacksKey = kind !== 'demo' && provider.entry.key_env !== null && !provider.has_key;
  const choose = () => {
    if (link) {
      const request = { op: newOp(), session_id: link.sessionId, provider_id: id };
      void run(workbench.backend.call('set_model', request));
    } else {
      void run(workbench.app.changeSettings({ provider: id }));
    }
  };
  return (
    <MenuItem
      testId="model-item"
      data={{
        'data-key': id,
        'data-state': lacksKey ? 'no-key' : 'ok',
        'data-current': String(id === current),
      }}
      label={kind === 'demo' ? t('model.demo') : `${model} · ${id}`}
      note={lacksKey ? t('model.nokey') : id === current ? '✓' : undefined}
      onSelect={choose}
    />
  );
}
