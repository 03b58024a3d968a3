import type { ReactNode } from 'react';
import { ShieldCheck } from 'lucide-react';
import type { Ask, Preview, SandboxFacts } from '@/bindings';
import { VisibleText } from '@/components';
import { formatDuration, useT } from '@/i18n';
import { tid } from '@/testids';
import { allowDecision, CardButtons } from './CardButtons';
import { CardFrame } from './CardFrame';
import { useConfirmation } from './useConfirmation';
import { useFeedback } from './useFeedback';

interface Props {
  ask: Ask;
  preview: Extract<Preview, { kind: 'exec' }>;
  counter: ReactNode;
}

/** What a command will be kept in. */
function SandboxFact({ sandbox }: { sandbox: SandboxFacts }) {
  const t = useT();
  const files = sandbox.mode === 'read_only' ? t('sandbox.read_only') : t('sandbox.workspace_write');
  const network = sandbox.network ? t('sandbox.network_on') : t('sandbox.network_off');
  return (
    <span className="confirm-sandbox" data-testid={tid('confirm-sandbox')} title={sandbox.backend}>
      <ShieldCheck className="icon-small" aria-hidden="true" />
      {t('confirm.exec.sandbox', files, network)}
    </span>
  );
}

/** A command, whole, with where and how it would run. */
export function ExecCard({ ask, preview, counter }: Props) {
  const t = useT();
  const confirmation = useConfirmation(ask);
  const feedback = useFeedback(ask);
  const allowed = allowDecision(confirmation);
  return (
    <CardFrame
      confirmation={confirmation}
      counter={counter}
      actions={{
        allow: () => {
          if (allowed) confirmation.decide(allowed);
        },
        reject: () => {
          confirmation.decide({ kind: 'deny', words: null });
        },
        rejectWhy: () => {
          feedback.set(feedback.text ?? '');
        },
      }}
      footer={<CardButtons confirmation={confirmation} feedback={feedback} />}
    >
      <p className="confirm-facts">
        <span>{t('confirm.exec.cwd')}</span>
        <code title={preview.cwd}>
          <VisibleText text={preview.display_cwd} />
        </code>
        <span>{preview.background ? t('confirm.exec.background') : t('confirm.exec.foreground')}</span>
        {preview.background ? null : (
          <span className="numbers">{t('confirm.exec.timeout', formatDuration(preview.timeout_ms))}</span>
        )}
        {preview.sandbox === null ? null : <SandboxFact sandbox={preview.sandbox} />}
      </p>
      <pre
        className="confirm-command selectable"
        data-testid={tid('confirm-command')}
        tabIndex={0}
        aria-label={t('confirm.exec.command')}
      >
        <VisibleText text={preview.command} />
      </pre>
      {preview.description === null || preview.description === '' ? null : (
        <p className="confirm-says">
          <span className="muted">{t('confirm.exec.says')}</span>{' '}
          <span className="selectable">
            <VisibleText text={preview.description} />
          </span>
        </p>
      )}
    </CardFrame>
  );
}
