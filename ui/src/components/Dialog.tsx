import { Dialog as Kit } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useT } from '@/i18n';
import type { TestId } from '@/testids';
import './dialog.css';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  closeTestId: TestId;
  children: ReactNode;
  /** What answers; never scrolls away. */
  footer?: ReactNode;
  /** What has the focus at first: of two answers the safe one. */
  initialFocus?: RefObject<HTMLElement | null>;
}

/** A window inside the window: it keeps the focus until it is closed and gives it back then. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, closeTestId, children, footer, initialFocus } = props;
  const t = useT();
  return (
    <Kit.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Kit.Portal>
        <Kit.Backdrop className="dialog-backdrop" />
        <Kit.Popup className="dialog" {...(initialFocus ? { initialFocus } : {})}>
          <header className="dialog-header">
            <Kit.Title className="dialog-title">{title}</Kit.Title>
            <Kit.Close className="icon-button" data-testid={closeTestId} aria-label={t('common.close')}>
              <X className="icon" aria-hidden="true" />
            </Kit.Close>
          </header>
          <div className="dialog-body" tabIndex={0} role="group" aria-label={title}>
            {children}
          </div>
          {footer === undefined ? null : <footer className="dialog-footer">{footer}</footer>}
        </Kit.Popup>
      </Kit.Portal>
    </Kit.Root>
  );
}
