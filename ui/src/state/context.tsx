import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import { createStore, useStore } from 'zustand';
import type { BackendError } from '@/backend';
import { isPlainKey, useT } from '@/i18n';
import type { AppState } from './appStore';
import type { SessionLink, SessionView } from './sessionLink';
import type { SessionState } from './sessionReducer';
import type { UiState } from './uiStore';
import type { Workbench } from './workbench';

const WorkbenchContext = createContext<Workbench | null>(null);
const SessionContext = createContext<SessionLink | null>(null);

export function WorkbenchProvider({ workbench, children }: { workbench: Workbench; children: ReactNode }) {
  return <WorkbenchContext value={workbench}>{children}</WorkbenchContext>;
}

/** Gives one session to everything inside. */
export function SessionProvider({ link, children }: { link: SessionLink; children: ReactNode }) {
  return <SessionContext value={link}>{children}</SessionContext>;
}

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error('used outside of a workbench');
  return workbench;
}

export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useWorkbench().app.store, select);
}

export function useUi<T>(select: (state: UiState) => T): T {
  return useStore(useWorkbench().ui, select);
}

/** The session on screen, if there is one. */
export function useCurrentLink(): SessionLink | null {
  return useStore(useWorkbench().current, (current) => current.link);
}

/** The session around this view. */
export function useLink(): SessionLink {
  const link = useContext(SessionContext);
  if (!link) throw new Error('used outside of a session');
  return link;
}

export function useSessionView<T>(select: (view: SessionView) => T): T {
  return useStore(useLink().store, select);
}

/** A part of the session's state; `fallback` until it is there. */
export function useSession<T>(select: (session: SessionState) => T, fallback: T): T {
  return useStore(useLink().store, (view) => (view.status === 'ready' ? select(view.session) : fallback));
}

/** A draft and how to change it. */
export function useDraft(link: SessionLink, key: string): [string, (value: string) => void] {
  const { drafts } = link;
  const value = useSyncExternalStore(
    (changed) =>
      drafts.subscribe((other) => {
        if (other === key) changed();
      }),
    () => drafts.get(key),
  );
  return [
    value,
    (next) => {
      drafts.set(key, next);
    },
  ];
}

/** Says what a refused command means, in the window's language. */
export function useErrorText(): (error: Pick<BackendError, 'code' | 'message'>) => string {
  const t = useT();
  return (error) => {
    const key = `error.${error.code}`;
    const sentence = isPlainKey(key) ? t(key) : error.message;
    const showsMore = error.message !== '' && error.message !== sentence;
    return showsMore ? t('error.with', sentence, error.message) : sentence;
  };
}

/** Runs a command; a refusal becomes a message at the edge of the window. */
export function useRun(): (work: Promise<unknown>) => Promise<void> {
  const workbench = useWorkbench();
  const errorText = useErrorText();
  return (work) => workbench.run(work, errorText);
}

/** A part of the session on screen, for views outside of it; `fallback` while there is none. */
export function useCurrent<T>(select: (session: SessionState) => T, fallback: T): T {
  const link = useCurrentLink();
  return useStore(link?.store ?? NO_SESSION, (view) =>
    view.status === 'ready' ? select(view.session) : fallback,
  );
}

/** The state of the session on screen: none, or as its view. */
export function useCurrentStatus(): 'none' | SessionView['status'] {
  const link = useCurrentLink();
  const status = useStore(link?.store ?? NO_SESSION, (view) => view.status);
  return link ? status : 'none';
}

const NO_SESSION = createStore<SessionView>(() => ({ status: 'loading' }));
