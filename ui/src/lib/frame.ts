import { begin } from './activity';

/** A hidden window gets no animation frames; its texts are brought up to date this often. */
const HIDDEN_INTERVAL_MS = 250;

/** Runs `work` before the next frame is painted, or soon while the window is hidden. */
export function onNextFrame(work: () => void): void {
  const done = begin();
  const run = () => {
    done();
    work();
  };
  if (document.hidden) window.setTimeout(run, HIDDEN_INTERVAL_MS);
  else requestAnimationFrame(run);
}
