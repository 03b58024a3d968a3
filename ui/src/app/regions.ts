import { focusFirstConfirmation } from '@/lib/focus';

/** The regions of the window in the order of the Tab key; F6 walks them. */
export const REGIONS = [
  'titlebar',
  'sidebar',
  'header',
  'transcript',
  'dock',
  'queue',
  'composer',
  'rightpanel',
  'statusbar',
] as const;

export type RegionName = (typeof REGIONS)[number];

const FOCUSABLE =
  'button:not([disabled]), textarea:not([disabled]), input:not([disabled]), select:not([disabled]), [tabindex="0"], a[href]';

function region(name: RegionName): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-region="${name}"]`);
}

function isShown(element: HTMLElement): boolean {
  return element.offsetParent !== null || element.getClientRects().length > 0;
}

/** Puts the focus where a person left this region, or on its first control. */
export function focusRegion(name: RegionName): boolean {
  const element = region(name);
  if (!element || !isShown(element)) return false;
  if (name === 'dock') return focusFirstConfirmation();
  const target = element.querySelector<HTMLElement>('[data-region-focus]') ?? firstControl(element);
  target?.focus();
  return target !== null;
}

function firstControl(element: HTMLElement): HTMLElement | null {
  const controls = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isShown);
  return controls[0] ?? (element.hasAttribute('tabindex') ? element : null);
}

/** Moves the focus to the next or previous region that is on screen. */
export function focusNeighbour(step: 1 | -1): void {
  const inside = document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset.region;
  const from = REGIONS.findIndex((name) => name === inside);
  for (let tried = 1; tried <= REGIONS.length; tried += 1) {
    const at = (Math.max(from, step > 0 ? -1 : 0) + step * tried + REGIONS.length * 2) % REGIONS.length;
    const name = REGIONS[at];
    if (name !== undefined && focusRegion(name)) return;
  }
}
