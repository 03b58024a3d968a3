import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CallId, ShellId } from '@/bindings';

/** What the main region shows. */
export type Route =
  { name: 'chat' } | { name: 'review'; callId: CallId } | { name: 'changes' } | { name: 'settings' };

export type PanelTab = 'todos' | 'shells' | 'changes';

/** Limits of the sizes a person can drag, in pixels at 100 %. */
export const SIDEBAR_PX = { min: 180, initial: 230, max: 400 } as const;
export const PANEL_PX = { min: 220, initial: 240, max: 720 } as const;

/** A terminal of eighty columns needs about this much, the buttons around it less. */
export const PANEL_FOR_TERMINAL_PX = 600;

/** Where the sizes and the layout are remembered; nothing else is kept in the page. */
const STORAGE_KEY = 'benchdog.layout';

export interface UiState {
  route: Route;
  /** `null`: as the width of the window suggests. */
  sidebarOpen: boolean | null;
  panelOpen: boolean | null;
  /** Whether the side panel is on screen now. */
  panelShown: boolean;
  panelTab: PanelTab;
  /** The command that is opened in the side panel. */
  openShell: ShellId | null;
  /** How much output of a command the person has had before their eyes, in bytes. */
  shellsSeen: Readonly<Record<ShellId, number>>;
  sidebarPx: number;
  panelPx: number;
  /** The layout chosen last for a review; `null`: as suits the change. */
  reviewMode: 'unified' | 'split' | null;
  helpOpen: boolean;
  /** The message to go back to, while that is asked. */
  rewindTo: number | null;
}

/** View state of the window: what is open, how wide. */
export function createUiStore(): StoreApi<UiState> {
  const store = createStore<UiState>(() => ({
    route: { name: 'chat' },
    sidebarOpen: null,
    panelOpen: null,
    panelShown: false,
    panelTab: 'todos',
    openShell: null,
    shellsSeen: {},
    sidebarPx: SIDEBAR_PX.initial,
    panelPx: PANEL_PX.initial,
    reviewMode: null,
    helpOpen: false,
    rewindTo: null,
    ...rememberedSizes(),
  }));
  store.subscribe(({ sidebarPx, panelPx, reviewMode }, before) => {
    const same = sidebarPx === before.sidebarPx && panelPx === before.panelPx;
    if (same && reviewMode === before.reviewMode) return;
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ sidebarPx, panelPx, reviewMode }));
  });
  return store;
}

function rememberedSizes(): Partial<Pick<UiState, 'sidebarPx' | 'panelPx' | 'reviewMode'>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return {
      ...('sidebarPx' in kept && typeof kept.sidebarPx === 'number' ? { sidebarPx: kept.sidebarPx } : {}),
      ...('reviewMode' in kept && (kept.reviewMode === 'unified' || kept.reviewMode === 'split')
        ? { reviewMode: kept.reviewMode }
        : {}),
      ...('panelPx' in kept && typeof kept.panelPx === 'number' ? { panelPx: kept.panelPx } : {}),
    };
  } catch {
    return {};
  }
}
