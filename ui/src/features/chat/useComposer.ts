import { useRef, useState } from 'react';
import { newOp, toBackendError, type BackendError } from '@/backend';
import type { Delivery } from '@/bindings';
import { useDraft, useLink, useSession, useWorkbench } from '@/state';

/** What is not sent but shows the changes in the workspace. */
const SHOW_CHANGES = '/diff';

/** What the message field can do, and where it stands. */
export interface ComposerModel {
  text: string;
  setText: (text: string) => void;
  state: 'idle' | 'running' | 'waiting' | 'disabled';
  /** Why nothing can be written. */
  readOnly: string | null;
  error: BackendError | null;
  send: (delivery: Delivery) => void;
  recall: (step: 1 | -1) => string | null;
}

/** The message field of the session. */
export function useComposer(): ComposerModel {
  const link = useLink();
  const { backend, ui } = useWorkbench();
  const [text, setText] = useDraft(link, 'composer');
  const running = useSession((session) => session.phase.phase !== 'idle', false);
  const waiting = useSession((session) => session.asks.length > 0, false);
  const readOnly = useSession((session) => session.readOnly, null);
  const [error, setError] = useState<BackendError | null>(null);
  const history = useHistory();
  const { sessionId } = link;

  const deliver = async (words: string, delivery: Delivery) => {
    // The field is free for the next message at once; a refused one comes back into it.
    setText('');
    setError(null);
    try {
      await backend.call('send', { op: newOp(), session_id: sessionId, text: words, delivery });
    } catch (thrown) {
      link.drafts.giveBack('composer', words);
      setError(toBackendError(thrown));
    }
  };
  return {
    text,
    setText,
    state: readOnly !== null ? 'disabled' : waiting ? 'waiting' : running ? 'running' : 'idle',
    readOnly,
    error,
    send: (delivery) => {
      if (text.trim() === '' || readOnly !== null) return;
      if (text.trim() === SHOW_CHANGES) {
        setText('');
        ui.setState({ route: { name: 'changes' } });
        return;
      }
      history.reset();
      void deliver(text, delivery);
    },
    recall: history.recall,
  };
}

/** The person's messages of this session, newest first, for the arrow keys. */
function useHistory() {
  const link = useLink();
  const place = useRef(-1);
  const messages = (): string[] => {
    const view = link.store.getState();
    if (view.status !== 'ready') return [];
    const { order, items } = view.session;
    const texts = order.flatMap((seq) => {
      const body = items[seq]?.body;
      return body?.kind === 'user' && body.text !== '' ? [body.text] : [];
    });
    return texts.reverse();
  };
  return {
    reset: () => {
      place.current = -1;
    },
    recall: (step: 1 | -1) => {
      const texts = messages();
      const next = place.current + step;
      if (next >= texts.length) return null;
      place.current = Math.max(-1, next);
      return place.current < 0 ? '' : (texts[place.current] ?? null);
    },
  };
}
