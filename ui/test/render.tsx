import { act, render, type RenderResult } from '@testing-library/react';
import { App } from '@/app/App';
import { FakeBackend, type FakeSession } from '@/backend/fake';
import type { Settings, Snapshot } from '@/bindings';
import { appInfo, settings, snapshot } from '@/dev/builders';
import { advanceArmClock } from '@/lib/armClock';
import { Workbench } from '@/state';
import type { TestId } from '@/testids';

/** A whole window on a scripted backend. */
export interface TestWindow extends RenderResult {
  backend: FakeBackend;
  workbench: Workbench;
  session: FakeSession;
  /** The one element with a test id, inside `root` if given. */
  get: (id: TestId, attributes?: Record<string, string>, root?: ParentNode) => HTMLElement;
  find: (id: TestId, attributes?: Record<string, string>) => Promise<HTMLElement>;
  all: (id: TestId) => HTMLElement[];
  none: (id: TestId) => boolean;
}

interface Options {
  snapshot?: Partial<Snapshot>;
  settings?: Partial<Settings>;
  prepare?: (backend: FakeBackend) => void;
}

/** Waits for what is under way: promises, microtasks, and the frames of the test engine. */
export async function settle(): Promise<void> {
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

/** Lets the card on screen take input. */
export async function arm(): Promise<void> {
  await act(async () => {
    advanceArmClock(500);
    await Promise.resolve();
  });
}

export function selector(id: TestId, attributes: Record<string, string> = {}): string {
  const rest = Object.entries(attributes).map(([name, value]) => `[data-${name}="${value}"]`);
  return `[data-testid="${id}"]${rest.join('')}`;
}

/** Starts a window with one session. */
export async function openWindow(options: Options = {}): Promise<TestWindow> {
  const backend = new FakeBackend(appInfo(), settings(options.settings));
  const session = backend.addSession(snapshot(options.snapshot));
  options.prepare?.(backend);
  const workbench = new Workbench(backend);
  const rendered = render(<App workbench={workbench} />);
  await act(() => workbench.boot());
  await settle();
  const get: TestWindow['get'] = (id, attributes, root = document) => {
    const found = root.querySelector<HTMLElement>(selector(id, attributes));
    if (!found) throw new Error(`${selector(id, attributes)} is not on screen`);
    return found;
  };
  return {
    ...rendered,
    backend,
    workbench,
    session,
    get,
    find: async (id, attributes) => {
      for (let tries = 0; tries < 100; tries += 1) {
        const found = document.querySelector<HTMLElement>(selector(id, attributes));
        if (found) return found;
        await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
      }
      throw new Error(`${selector(id, attributes)} never came`);
    },
    all: (id) => [...document.querySelectorAll<HTMLElement>(selector(id))],
    none: (id) => document.querySelector(selector(id)) === null,
  };
}
