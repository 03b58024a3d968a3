/** The old key code of every key that an input method handles. */
const INPUT_METHOD_KEY_CODE = 229;

/** The parts of a key event that tell; a React event has them too. */
interface KeyLike {
  key: string;
  keyCode: number;
  isComposing?: boolean;
  nativeEvent?: KeyboardEvent;
}

let composingKeySeen = false;
let justEnded = false;
/** Several handlers ask about one event; all get the same answer. */
const decided = new WeakMap<object, boolean>();

function soon(work: () => void): void {
  setTimeout(work, 0);
}

/**
 * Whether a key belongs to an input method: it chooses or ends a candidate and must not do anything else.
 *
 * Every key handler of the window asks this first. Engines differ in how they say it: the composing mark, key code
 * 229, the key `Process`, or, in WebKit, an ordinary key right after the composition ended, in the same task.
 */
export function isComposing(event: KeyLike): boolean {
  const native = event.nativeEvent ?? event;
  const known = decided.get(native);
  if (known !== undefined) return known;
  const answer = decide(native);
  decided.set(native, answer);
  return answer;
}

function decide(native: KeyLike): boolean {
  if (native.isComposing || native.keyCode === INPUT_METHOD_KEY_CODE || native.key === 'Process') {
    composingKeySeen = true;
    justEnded = false;
    soon(() => {
      composingKeySeen = false;
    });
    return true;
  }
  if (!justEnded) return false;
  justEnded = false;
  return true;
}

function onCompositionEnd(): void {
  // The key that ended it was seen before: what follows is a new key.
  if (composingKeySeen) return;
  justEnded = true;
  soon(() => {
    justEnded = false;
  });
}

/** Watches compositions of the whole page. Called once at the start. */
export function watchComposition(page: Document): () => void {
  page.addEventListener('compositionend', onCompositionEnd, true);
  return () => {
    page.removeEventListener('compositionend', onCompositionEnd, true);
  };
}
