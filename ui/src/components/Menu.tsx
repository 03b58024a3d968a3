import { Menu as Kit } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import type { TestId } from '@/testids';
import './menu.css';

/** A button that opens a list of things to do. `trigger` is the button. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Kit.Root modal={false}>
      <Kit.Trigger render={trigger} />
      <Kit.Portal>
        <Kit.Positioner className="menu-positioner" sideOffset={4} align="end">
          <Kit.Popup className="menu">{children}</Kit.Popup>
        </Kit.Positioner>
      </Kit.Portal>
    </Kit.Root>
  );
}

export interface MenuItemProps {
  testId: TestId;
  label: ReactNode;
  /** A second line or a remark at the end. */
  note?: ReactNode;
  onSelect: () => void;
  danger?: true;
  disabled?: boolean;
  /** For tests: what it stands for. */
  data?: Readonly<Record<`data-${string}`, string>>;
}

/** One thing to do. */
export function MenuItem({ testId, label, note, onSelect, danger, disabled, data }: MenuItemProps) {
  return (
    <Kit.Item
      className="menu-item"
      data-testid={testId}
      data-look={danger ? 'danger' : 'normal'}
      disabled={disabled ?? false}
      onClick={onSelect}
      {...data}
    >
      <span className="menu-item-label">{label}</span>
      {note === undefined ? null : <span className="menu-item-note">{note}</span>}
    </Kit.Item>
  );
}

/** A heading inside a menu. */
export function MenuHeading({ children }: { children: ReactNode }) {
  return <div className="menu-heading">{children}</div>;
}
