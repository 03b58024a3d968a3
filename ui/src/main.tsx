import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from '@/app/App';
import type { Backend } from '@/backend';
import { watchComposition } from '@/keys';
import { Workbench } from '@/state';
import './styles/tokens.css';
import './styles/fonts.css';
import './styles/global.css';

/** The desktop shell; while developing, `?fake` shows a scripted session without one. */
async function chooseBackend(): Promise<Backend> {
  if (import.meta.env.DEV && new URLSearchParams(location.search).has('fake')) {
    const { demoBackend } = await import('./dev/demo');
    return demoBackend(new URLSearchParams(location.search));
  }
  const { tauriBackend } = await import('@/backend/tauri');
  return tauriBackend;
}

async function start(): Promise<void> {
  const root = document.querySelector('#root');
  if (!root) return;
  watchComposition(document);
  const workbench = new Workbench(await chooseBackend());
  if (import.meta.env.VITE_TEST_HOOKS === '1') {
    const { installTestHook } = await import('./testHook');
    installTestHook();
  }
  // Asked before the first drawing, so that the answers are there when it is done.
  const booted = workbench.boot();
  // Terminals measure the letters of their font when they open.
  void document.fonts.load(`1em 'JetBrains Mono Variable'`);
  createRoot(root).render(
    <StrictMode>
      <App workbench={workbench} />
    </StrictMode>,
  );
  await booted;
}

void start();
