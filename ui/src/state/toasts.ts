import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TestId } from '@/testids';

/** At most so many are shown; older ones make room. */
const MAX_TOASTS = 3;

/** How long a toast that is not an error stays. */
const TOAST_MS = 6_000;

export type ToastKind = 'info' | 'success' | 'warning' | 'error';

/** A button beside the text. */
export interface ToastAction {
  label: string;
  run: () => void;
  testId?: TestId;
}

export interface Toast {
  id: number;
  kind: ToastKind;
  text: string;
  /** How often the same text came. */
  count: number;
  action: ToastAction | null;
}

/** What a caller says; the rest is ours. */
export interface ToastRequest {
  kind: ToastKind;
  text: string;
  action?: ToastAction;
  /** Stays this long instead of the usual time. */
  shownMs?: number;
}

export class Toasts {
  readonly store: StoreApi<{ toasts: readonly Toast[] }> = createStore(() => ({
    toasts: [] as readonly Toast[],
  }));
  private timers = new Map<number, number>();
  private nextId = 1;

  show(request: ToastRequest): void {
    const { toasts } = this.store.getState();
    const same = toasts.find((toast) => toast.text === request.text && toast.kind === request.kind);
    const toast: Toast = {
      id: same?.id ?? this.nextId++,
      kind: request.kind,
      text: request.text,
      count: (same?.count ?? 0) + 1,
      action: request.action ?? null,
    };
    const others = toasts.filter((other) => other !== same);
    this.store.setState({ toasts: [...others, toast].slice(-MAX_TOASTS) });
    window.clearTimeout(this.timers.get(toast.id));
    if (toast.kind === 'error') return;
    const timer = window.setTimeout(() => {
      this.close(toast.id);
    }, request.shownMs ?? TOAST_MS);
    this.timers.set(toast.id, timer);
  }

  close(id: number): void {
    window.clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.store.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
  }
}
