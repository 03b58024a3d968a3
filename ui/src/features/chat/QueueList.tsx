import { Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { newOp } from '@/backend';
import type { Delivery, Queued } from '@/bindings';
import { Button, IconButton } from '@/components';
import { useT } from '@/i18n';
import { isComposing } from '@/keys';
import { useDraft, useLink, useRun, useSession, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** The message that is being edited is kept under this draft, so that it survives a reload. */
const EDIT_DRAFT = 'queue-edit';

const NONE: readonly Queued[] = [];

interface Editing {
  text: string;
  delivery: Delivery;
}

/** Messages that wait for the agent. */
export function QueueList() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const link = useLink();
  const queue = useSession((session) => session.queue, NONE);
  const idle = useSession((session) => session.phase.phase === 'idle', false);
  const [draft, setDraft] = useDraft(link, EDIT_DRAFT);
  const editing = parseEditing(draft);
  if (queue.length === 0 && !editing) return null;

  /** A message that is being edited must not be sent meanwhile: it leaves the queue until it is kept. */
  const edit = async (message: Queued) => {
    const { backend } = workbench;
    await backend.call('queue_remove', { op: newOp(), session_id: link.sessionId, id: message.id });
    setDraft(JSON.stringify({ text: message.text, delivery: message.delivery } satisfies Editing));
  };
  const keep = async (text: string, delivery: Delivery) => {
    const { backend } = workbench;
    if (text.trim() !== '')
      await backend.call('send', { op: newOp(), session_id: link.sessionId, text, delivery });
    setDraft('');
  };
  return (
    <section
      className="queue"
      data-testid={tid('queue-list')}
      data-region="queue"
      data-count={queue.length}
      aria-label={t('queue.label')}
    >
      {queue.map((message) => (
        <QueueRow
          key={message.id}
          message={message}
          canEdit={!editing}
          onEdit={() => {
            void run(edit(message));
          }}
        />
      ))}
      {editing ? (
        <QueueEditor
          editing={editing}
          onChange={(text) => {
            setDraft(JSON.stringify({ ...editing, text }));
          }}
          onKeep={(text) => {
            void run(keep(text, editing.delivery));
          }}
        />
      ) : null}
      {idle && queue.length > 0 ? (
        <Button
          testId="queue-send-now"
          size="small"
          onClick={() => run(workbench.command('send_queued', link.sessionId))}
        >
          {t('queue.sendnow')}
        </Button>
      ) : null}
    </section>
  );
}

function parseEditing(draft: string): Editing | null {
  if (draft === '') return null;
  try {
    const value = JSON.parse(draft) as Partial<Editing>;
    return { text: value.text ?? '', delivery: value.delivery ?? 'after' };
  } catch {
    return null;
  }
}

function QueueRow({ message, canEdit, onEdit }: { message: Queued; canEdit: boolean; onEdit: () => void }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const { sessionId } = useLink();
  const [leaving, setLeaving] = useState(false);
  const remove = async () => {
    setLeaving(true);
    try {
      await backend.call('queue_remove', { op: newOp(), session_id: sessionId, id: message.id });
    } finally {
      setLeaving(false);
    }
  };
  return (
    <div
      className="queue-item"
      data-testid={tid('queue-item')}
      data-key={message.id}
      data-value={message.delivery}
    >
      <span className="truncate queue-text" title={message.text}>
        {message.text}
      </span>
      <span className="queue-when">{message.delivery === 'steer' ? t('queue.steer') : t('queue.after')}</span>
      <IconButton
        testId="queue-edit"
        label={t('queue.edit')}
        data-size="small"
        disabled={leaving || !canEdit}
        icon={<Pencil className="icon-small" aria-hidden="true" />}
        onClick={onEdit}
      />
      <IconButton
        testId="queue-remove"
        label={t('queue.remove')}
        data-size="small"
        disabled={leaving}
        icon={<X className="icon-small" aria-hidden="true" />}
        onClick={() => run(remove())}
      />
    </div>
  );
}

interface EditorProps {
  editing: Editing;
  onChange: (text: string) => void;
  onKeep: (text: string) => void;
}

function QueueEditor({ editing, onChange, onKeep }: EditorProps) {
  const t = useT();
  const [original] = useState(editing.text);
  return (
    <div className="queue-item" data-state="editing">
      <textarea
        className="queue-input"
        data-testid={tid('queue-edit-input')}
        aria-label={t('queue.edit')}
        rows={2}
        value={editing.text}
        onChange={(event) => {
          onChange(event.target.value);
        }}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') onKeep(original);
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            onKeep(editing.text);
          }
        }}
      />
      <Button
        testId="queue-edit-save"
        size="small"
        onClick={() => {
          onKeep(editing.text);
        }}
      >
        {t('common.save')}
      </Button>
    </div>
  );
}
