import { useEffect, useRef } from 'react';
import { focusComposer, focusFirstConfirmation, isTextField } from '@/lib/focus';
import { isKey, leavesTerminal, sessionDigit, type KeyName } from '@/keys';
import { useRun, useWorkbench, type Workbench } from '@/state';
import { focusNeighbour } from './regions';
import type { Layout } from './useLayout';

const SCALE_STEP = 10;
const SCALE_MIN = 80;
const SCALE_MAX = 200;

type Run = (work: Promise<unknown>) => Promise<void>;
type Actions = Partial<Record<KeyName, () => void>>;

/** The keys that work everywhere. */
export function useAppKeys(layout: Layout): void {
  const workbench = useWorkbench();
  const run = useRun();
  const latest = useRef<Actions>({});
  useEffect(() => {
    latest.current = appActions(workbench, run, layout);
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (isTakenByProcess(event.target) && !leavesTerminal(event)) return;
      handle(event, latest.current, workbench);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
    };
  }, [workbench]);
}

/** A terminal whose process has the keys gets all of them but the few that leave it. */
function isTakenByProcess(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-takes-keys="true"]') !== null;
}

function handle(event: KeyboardEvent, actions: Actions, workbench: Workbench): void {
  const digit = sessionDigit(event);
  if (digit !== null) {
    event.preventDefault();
    openNumber(workbench, digit);
    return;
  }
  for (const [name, action] of Object.entries(actions) as [KeyName, () => void][]) {
    if (!isKey(event, name)) continue;
    if (name === 'help' && isTextField(document.activeElement)) return;
    event.preventDefault();
    action();
    return;
  }
}

function openNumber(workbench: Workbench, digit: number): void {
  const rows = document.querySelectorAll<HTMLElement>('[data-session-number]');
  const key = rows[digit - 1]?.dataset.key;
  if (key !== undefined) workbench.openSession(key);
}

function appActions(workbench: Workbench, run: Run, layout: Layout): Actions {
  const { ui } = workbench;
  const scaleBy = (step: number | null) => {
    const scale = workbench.app.store.getState().settings?.ui_scale ?? 100;
    const next = step === null ? 100 : Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale + step));
    void run(workbench.app.changeSettings({ ui_scale: next }));
  };
  return {
    newSession: () => {
      void run(workbench.createSession());
    },
    openProject: () => {
      void run(workbench.chooseWorkspace());
    },
    sidebar: () => {
      ui.setState({ sidebarOpen: !layout.sidebarOpen });
    },
    rightPanel: () => {
      ui.setState({ panelOpen: !layout.panelOpen });
    },
    settings: () => {
      ui.setState({ route: { name: 'settings' } });
    },
    composer: focusComposer,
    nextRegion: () => {
      focusNeighbour(1);
    },
    previousRegion: () => {
      focusNeighbour(-1);
    },
    confirmation: () => {
      showConfirmation(workbench);
    },
    search: () => {
      ui.setState({ sidebarOpen: true });
      requestAnimationFrame(() => {
        document.querySelector<HTMLElement>('[data-region="sidebar"] input')?.focus();
      });
    },
    stop: () => {
      const { link } = workbench.current.getState();
      if (link) void run(workbench.command('cancel', link.sessionId));
    },
    todos: () => {
      ui.setState({ panelOpen: true, panelTab: 'todos' });
    },
    changes: () => {
      ui.setState({ route: { name: 'changes' } });
    },
    larger: () => {
      scaleBy(SCALE_STEP);
    },
    smaller: () => {
      scaleBy(-SCALE_STEP);
    },
    normalSize: () => {
      scaleBy(null);
    },
    help: () => {
      ui.setState({ helpOpen: true });
    },
  };
}

/** To the approval on screen; from inside it, to the next one; without one, to a session that waits. */
function showConfirmation(workbench: Workbench): void {
  const { route } = workbench.ui.getState();
  if (route.name === 'settings' || route.name === 'changes')
    workbench.ui.setState({ route: { name: 'chat' } });
  const next = document.activeElement
    ?.closest('[data-region="dock"]')
    ?.querySelector<HTMLElement>('[data-confirm-next]');
  if (next) {
    next.click();
    requestAnimationFrame(focusFirstConfirmation);
    return;
  }
  if (focusFirstConfirmation()) return;
  const { link } = workbench.current.getState();
  const { sessions } = workbench.app.store.getState().list;
  const other = sessions.find((row) => row.state === 'waiting' && row.session_id !== link?.sessionId);
  if (other) workbench.openSession(other.session_id);
}
