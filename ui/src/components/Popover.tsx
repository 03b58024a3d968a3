import { Popover as Kit } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import './menu.css';

/** A button that shows some more beside it. `trigger` is the button, `title` the name of what opens. */
export function Popover({
  trigger,
  title,
  children,
}: {
  trigger: ReactElement;
  title: string;
  children: ReactNode;
}) {
  return (
    <Kit.Root>
      <Kit.Trigger render={trigger} />
      <Kit.Portal>
        <Kit.Positioner className="menu-positioner" sideOffset={6} collisionPadding={8}>
          <Kit.Popup className="popover" aria-label={title}>
            {children}
          </Kit.Popup>
        </Kit.Positioner>
      </Kit.Portal>
    </Kit.Root>
  );
}
