import { whenIdle } from '@/lib/activity';
import { advanceArmClock } from '@/lib/armClock';
import { FrameSampler } from '@/lib/frameSampler';
import { probe } from '@/lib/probes';

/** What tests in a real window may call. Exists only in builds made with `VITE_TEST_HOOKS=1`. */
interface TestHook {
  idle: () => Promise<void>;
  editorText: (key: string, side: 'before' | 'after') => string | null;
  editorSet: (key: string, from: number, to: number, text: string) => boolean;
  terminalText: (key: string, fromLine: number, toLine: number) => string | null;
  terminalCursor: (key: string) => { x: number; y: number } | null;
  scrollTo: (itemKey: string) => boolean;
  perf: { start: () => void; stop: () => ReturnType<FrameSampler['stop']> };
  net: () => string[];
  clock: (ms: number) => void;
  ready: () => number | null;
}

declare global {
  interface Window {
    __bd?: TestHook;
  }
}

/** Schemes that load nothing from elsewhere. */
const LOCAL = /^(?:data:|blob:|ipc:|tauri:|asset:)/;

/** What can be used when the first screen is there. */
const FIRST_SCREENS = ['composer-input', 'first-run', 'app-welcome-open']
  .map((id) => `[data-testid=${id}]`)
  .join();

/** Calls back once the first screen has been drawn: after the second frame, the first one may still be on its way. */
function onFirstScreen(drawn: () => void): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector(FIRST_SCREENS) === null) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  });
  observer.observe(document.documentElement, { childList: true, subtree: true });
}

/** Puts the hook into the page. */
export function installTestHook(): void {
  const sampler = new FrameSampler();
  let readyAt: number | null = null;
  onFirstScreen(() => {
    readyAt = Date.now();
  });
  window.__bd = {
    idle: async () => {
      await whenIdle();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await whenIdle();
    },
    editorText: (key, side) => probe(`editorText:${key}`)?.(side) ?? null,
    editorSet: (key, from, to, text) => {
      const set = probe(`editorSet:${key}`);
      set?.(from, to, text);
      return set !== undefined;
    },
    terminalText: (key, from, to) => probe(`terminalText:${key}`)?.(from, to) ?? null,
    terminalCursor: (key) => probe(`terminalCursor:${key}`)?.() ?? null,
    scrollTo: (itemKey) => probe('scrollTo')?.(itemKey) ?? false,
    perf: {
      start: () => {
        sampler.start();
      },
      stop: () => sampler.stop(),
    },
    net: () =>
      performance
        .getEntriesByType('resource')
        .map((entry) => entry.name)
        .filter(
          (name) => !name.startsWith(location.origin) && !LOCAL.test(name) && !name.includes('ipc.localhost'),
        ),
    clock: advanceArmClock,
    ready: () => readyAt,
  };
}
