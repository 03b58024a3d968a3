import { useRef } from 'react';
import type { BackendError } from '@/backend';
import type { RewindPlan } from '@/bindings';
import { Button, Dialog, Failure, Loading, Segmented } from '@/components';
import { useT } from '@/i18n';
import { focusComposer } from '@/lib/focus';
import { useErrorText, useLink, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { RewindFiles } from './RewindFiles';
import { useLatest } from './useLatest';
import { useRewind, useRewindChoice, type RewindChoice } from './useRewind';
import './rewind.css';

/** Asks what goes back to before a message, while the person wants that. */
export function RewindDialog() {
  const seq = useUi((state) => state.rewindTo);
  return seq === null ? null : <PlanOf key={seq} seq={seq} />;
}

function PlanOf({ seq }: { seq: number }) {
  const t = useT();
  const link = useLink();
  const { backend, ui } = useWorkbench();
  const plan = useLatest(`rewind:${seq}`, '', () =>
    backend.call('rewind_plan', { session_id: link.sessionId, seq }),
  );
  const choice = useRewindChoice(plan.value);
  const { rewind, error } = useRewind();
  const cancel = useRef<HTMLButtonElement>(null);
  const close = () => {
    ui.setState({ rewindTo: null });
  };
  const confirm = async () => {
    if (!(await rewind(seq, choice))) return;
    close();
    requestAnimationFrame(focusComposer);
  };
  return (
    <Dialog
      open
      title={t('rewind.title')}
      closeTestId="rewind-close"
      initialFocus={cancel}
      onClose={close}
      footer={
        <>
          <Button testId="rewind-cancel" size="large" ref={cancel} onClick={close}>
            {t('common.cancel')}
          </Button>
          {plan.value ? <Confirm plan={plan.value} choice={choice} onConfirm={confirm} /> : null}
        </>
      }
    >
      {plan.value ? (
        <Choices seq={seq} plan={plan.value} choice={choice} error={error} />
      ) : (
        <Waiting error={plan.error} again={plan.again} />
      )}
    </Dialog>
  );
}

function Waiting({ error, again }: { error: BackendError | null; again: () => void }) {
  const t = useT();
  const errorText = useErrorText();
  if (!error) return <Loading text={t('rewind.loading')} lines={2} />;
  return (
    <Failure title={errorText(error)}>
      <Button testId="rewind-again" onClick={again}>
        {t('common.again')}
      </Button>
    </Failure>
  );
}

interface ChoiceProps {
  plan: RewindPlan;
  choice: RewindChoice;
}

function Confirm({ plan, choice, onConfirm }: ChoiceProps & { onConfirm: () => Promise<void> }) {
  const t = useT();
  const { what, paths } = choice;
  const label =
    what === 'conversation'
      ? t('rewind.confirm.conversation', plan.messages)
      : what === 'files'
        ? t('rewind.confirm.files', paths.size)
        : t('rewind.confirm.both', plan.messages, paths.size);
  return (
    <Button
      testId="rewind-confirm"
      size="large"
      look="danger"
      disabled={what === 'files' && paths.size === 0}
      onClick={onConfirm}
    >
      {label}
    </Button>
  );
}

function Choices({ seq, plan, choice, error }: ChoiceProps & { seq: number; error: BackendError | null }) {
  const t = useT();
  const errorText = useErrorText();
  const { what } = choice;
  return (
    <div className="rewind" data-testid={tid('rewind-dialog')} data-value={what} data-count={plan.messages}>
      <Segmented
        testId="rewind-what"
        label={t('rewind.what')}
        value={what}
        options={[
          { value: 'conversation', label: t('rewind.conversation') },
          { value: 'files', label: t('rewind.files') },
          { value: 'both', label: t('rewind.both') },
        ]}
        onChange={choice.setWhat}
      />
      {what === 'files' ? null : (
        <p>
          <strong className="numbers">{t('rewind.messages', plan.messages, plan.turns)}</strong>{' '}
          <span className="muted">{t('rewind.message.note')}</span>
        </p>
      )}
      {what === 'conversation' ? null : <RewindFiles seq={seq} files={plan.files} choice={choice} />}
      {error ? (
        <p className="confirm-error selectable" role="alert">
          {errorText(error)}
        </p>
      ) : null}
    </div>
  );
}
