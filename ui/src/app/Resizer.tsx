import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { useT } from '@/i18n';
import { PANEL_PX, SIDEBAR_PX, useApp, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** How far one press of an arrow key moves the border. */
const STEP_PX = 10;

/** The border of a side region: drag it, or use the arrow keys. */
export function Resizer({ side }: { side: 'sidebar' | 'panel' }) {
  const t = useT();
  const { ui } = useWorkbench();
  const scale = useApp((state) => state.settings?.ui_scale ?? 100);
  const limits = side === 'sidebar' ? SIDEBAR_PX : PANEL_PX;
  const width = useUi((state) => (side === 'sidebar' ? state.sidebarPx : state.panelPx));
  const grip = useRef<{ x: number; width: number } | null>(null);
  const growsWith = side === 'sidebar' ? 1 : -1;

  const setWidth = (px: number) => {
    const next = Math.round(Math.min(limits.max, Math.max(limits.min, px)));
    ui.setState(side === 'sidebar' ? { sidebarPx: next } : { panelPx: next });
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!grip.current) return;
    setWidth(grip.current.width + ((event.clientX - grip.current.x) * growsWith * 100) / scale);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    setWidth(width + (event.key === 'ArrowRight' ? STEP_PX : -STEP_PX) * growsWith);
  };
  const label = side === 'sidebar' ? t('app.region.sidebar') : t('app.region.rightpanel');
  return (
    // A separator that can be moved is a control of its own: ARIA's window splitter.
    <div
      className="resizer"
      data-side={side}
      data-testid={side === 'sidebar' ? tid('sidebar-resize') : tid('rightpanel-resize')}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        grip.current = null;
      }}
      onKeyDown={onKeyDown}
    />
  );
}
