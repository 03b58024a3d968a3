import { useEffect, useRef, useState } from 'react';
import { toBackendError, type BackendError } from '@/backend';
import type { ShellInfo } from '@/bindings';
import { isKey } from '@/keys';
import { provide } from '@/lib/probes';
import { useWorkbench } from '@/state';
import { Screen } from './screen';

/** The screen of a shell and what the controls around it need. */
export interface ScreenView {
  size: { cols: number; rows: number } | null;
  away: boolean;
  /** Lines per second while output is too fast to be drawn whole. */
  fast: number | null;
  /** There is older output than can be scrolled to. */
  earlier: boolean;
  toEnd: () => void;
  error: BackendError | null;
  pasted: string | null;
  answerPaste: (paste: boolean) => void;
  keysHidden: boolean;
  toggleKeys: () => void;
}

/** Pasting several lines was allowed once in this window. */
let linesMayBePasted = false;

/** Draws the shell into `box` for as long as the view is mounted. */
export function useScreen(box: { current: HTMLDivElement | null }, shell: ShellInfo): ScreenView {
  const { backend } = useWorkbench();
  const { shell_id: shellId } = shell;
  const screen = useRef<Screen | null>(null);
  const [size, setSize] = useState<{ cols: number; rows: number } | null>(null);
  const [away, setAway] = useState(false);
  const [fast, setFast] = useState<number | null>(null);
  const [earlier, setEarlier] = useState(false);
  const [error, setError] = useState<BackendError | null>(null);
  const [pasted, setPasted] = useState<string | null>(null);
  // A program that does not echo asks for something secret, most likely.
  const [hiddenByHand, setHiddenByHand] = useState<boolean | null>(null);
  const owned = shell.input_owner === 'human';

  useEffect(() => {
    const parent = box.current;
    if (!parent) return undefined;
    const fail = (thrown: unknown) => {
      setError(toBackendError(thrown));
    };
    const made = new Screen(backend, shellId, {
      onSize: (cols, rows) => {
        setSize({ cols, rows });
      },
      onAway: setAway,
      onFast: setFast,
      onEarlier: setEarlier,
      onLink: (url) => {
        backend.call('open_external', { url }).catch(fail);
      },
      onKeyWithoutOwner: (event) => {
        if (!isKey(event, 'listOpen')) return;
        event.preventDefault();
        backend.call('own_terminal', { shell_id: shellId, owner: 'human' }).catch(fail);
      },
      onPaste: (text) => {
        const asks =
          text.trimEnd().includes('\n') && !linesMayBePasted && !made.terminal.modes.bracketedPasteMode;
        if (asks) setPasted(text);
        else made.paste(text);
      },
      onError: fail,
    });
    screen.current = made;
    made.open(parent);
    const stopText = provide(`terminalText:${shellId}`, (from, to) => made.text(from, to));
    const stopCursor = provide(`terminalCursor:${shellId}`, () => made.cursor());
    return () => {
      stopText();
      stopCursor();
      screen.current = null;
      made.close();
    };
  }, [backend, box, shellId]);
  useEffect(() => {
    screen.current?.setOwned(owned);
  }, [owned]);
  const keysHidden = hiddenByHand ?? shell.echo_off;
  useEffect(() => {
    screen.current?.setHidden(keysHidden);
  }, [keysHidden]);
  return {
    size,
    away,
    fast,
    earlier,
    toEnd: () => screen.current?.terminal.scrollToBottom(),
    error,
    pasted,
    answerPaste: (paste) => {
      if (paste && pasted !== null) {
        linesMayBePasted = true;
        screen.current?.paste(pasted);
      }
      setPasted(null);
      screen.current?.terminal.focus();
    },
    keysHidden,
    toggleKeys: () => {
      setHiddenByHand(!keysHidden);
    },
  };
}
