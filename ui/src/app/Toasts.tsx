import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { Button, IconButton } from '@/components';
import { useT } from '@/i18n';
import { useWorkbench, type Toast } from '@/state';
import { tid } from '@/testids';
import './toasts.css';

/** Short messages in the corner. */
export function Toasts() {
  const t = useT();
  const { toasts } = useWorkbench();
  const shown = useStore(toasts.store, (state) => state.toasts);
  return (
    <section
      className="toasts"
      data-testid={tid('toast-region')}
      aria-label={t('toast.region')}
      aria-live="polite"
      onKeyDown={(event) => {
        const focused = event.target instanceof Element ? event.target.closest<HTMLElement>('.toast') : null;
        if (event.key === 'Escape' && focused) toasts.close(Number(focused.dataset.key));
      }}
    >
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const t = useT();
  const { toasts } = useWorkbench();
  const close = () => {
    toasts.close(toast.id);
  };
  const { action } = toast;
  return (
    <div
      className="toast"
      data-testid={tid('toast')}
      data-kind={toast.kind}
      data-key={toast.id}
      role={toast.kind === 'error' ? 'alert' : 'status'}
    >
      <span className="toast-text selectable">
        {toast.text}
        {toast.count > 1 ? <span className="muted numbers"> {t('toast.count', toast.count)}</span> : null}
      </span>
      {action === null ? null : (
        <Button
          testId={action.testId ?? tid('toast-action')}
          look="link"
          size="small"
          onClick={() => {
            action.run();
            close();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton
        testId="toast-close"
        label={t('toast.close')}
        data-size="small"
        icon={<X className="icon-small" aria-hidden="true" />}
        onClick={close}
      />
    </div>
  );
}
