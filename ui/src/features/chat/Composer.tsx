import { CornerDownLeft, ListPlus, Square } from 'lucide-react';
import { useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { isComposing, isKey, keyLabel } from '@/keys';
import { useApp, useErrorText, useLink } from '@/state';
import { tid } from '@/testids';
import { useComposer, type ComposerModel } from './useComposer';
import type { StopModel } from './useStop';

/** The field takes at most this share of the main region. */
const MAX_HEIGHT_SHARE = 0.3;

/** Where the person writes. Nothing typed here ever answers an approval. */
export function Composer({ stop }: { stop: StopModel }) {
  const t = useT();
  const composer = useComposer();
  const enterSends = useApp((state) => state.settings?.enter_sends ?? true);
  const field = useRef<HTMLTextAreaElement>(null);
  const link = useLink();
  useGrow(field, composer.text);
  const placeholder =
    composer.readOnly !== null
      ? composer.readOnly || t('session.readonly')
      : composer.state === 'idle'
        ? t('composer.placeholder')
        : t('composer.placeholder.running');
  return (
    <section
      className="composer"
      data-testid={tid('composer')}
      data-state={composer.state}
      data-region="composer"
      aria-label={t('composer.label')}
    >
      <textarea
        ref={field}
        id="composer"
        className="composer-input"
        data-testid={tid('composer-input')}
        data-region-focus=""
        aria-label={t('composer.label')}
        aria-describedby="composer-note"
        placeholder={placeholder}
        rows={2}
        spellCheck={false}
        disabled={composer.state === 'disabled'}
        value={composer.text}
        onChange={(event) => {
          composer.setText(event.target.value);
        }}
        onBlur={() => {
          link.drafts.flush();
        }}
        onKeyDown={(event) => {
          onComposerKey(event, composer, enterSends, stop);
        }}
      />
      <div className="composer-bar">
        <ComposerNote composer={composer} enterSends={enterSends} stopArmed={stop.armed} />
        <ComposerButtons composer={composer} enterSends={enterSends} onStop={stop.stop} />
      </div>
    </section>
  );
}

interface NoteProps {
  composer: ComposerModel;
  enterSends: boolean;
  stopArmed: boolean;
}

function ComposerNote({ composer, enterSends, stopArmed }: NoteProps) {
  const t = useT();
  const errorText = useErrorText();
  const hint = stopArmed
    ? t('composer.stop.hint')
    : !enterSends
      ? t('composer.note.ctrlenter')
      : composer.state === 'idle' || composer.state === 'disabled'
        ? t('composer.note.enter')
        : t('composer.note.steer');
  const error = composer.error;
  const text =
    error === null ? hint : error.code === 'QUEUE_FULL' ? t('composer.queue.full') : errorText(error);
  return (
    <p
      id="composer-note"
      className="composer-note"
      data-testid={tid('composer-note')}
      data-state={error ? 'error' : stopArmed ? 'armed' : 'hint'}
      role={error || stopArmed ? 'status' : undefined}
    >
      {text}
    </p>
  );
}

interface ButtonsProps {
  composer: ComposerModel;
  enterSends: boolean;
  onStop: () => void;
}

function ComposerButtons({ composer, enterSends, onStop }: ButtonsProps) {
  const t = useT();
  const running = composer.state === 'running' || composer.state === 'waiting';
  const empty = composer.text.trim() === '' || composer.state === 'disabled';
  return (
    <>
      {running ? (
        <Button
          testId="composer-queue"
          disabled={empty}
          icon={<ListPlus className="icon-small" aria-hidden="true" />}
          title={enterSends ? keyLabel('queue') : undefined}
          onClick={() => {
            composer.send('after');
          }}
        >
          {t('composer.queue')}
        </Button>
      ) : null}
      <Button
        testId="composer-send"
        look={running ? 'normal' : 'primary'}
        disabled={empty}
        icon={<CornerDownLeft className="icon-small" aria-hidden="true" />}
        onClick={() => {
          composer.send('steer');
        }}
      >
        {running ? t('composer.steer') : t('composer.send')}
      </Button>
      {running ? (
        <Button
          testId="composer-stop"
          look="danger"
          icon={<Square className="icon-small" aria-hidden="true" />}
          title={keyLabel('stop')}
          onClick={onStop}
        >
          {t('composer.stop')}
        </Button>
      ) : null}
    </>
  );
}

function onComposerKey(
  event: KeyboardEvent<HTMLTextAreaElement>,
  composer: ComposerModel,
  enterSends: boolean,
  stop: StopModel,
): void {
  if (isComposing(event)) return;
  const isRunning = composer.state === 'running' || composer.state === 'waiting';
  if (isKey(event, 'queue')) {
    event.preventDefault();
    composer.send(isRunning && enterSends ? 'after' : 'steer');
  } else if (isKey(event, 'send') && enterSends) {
    event.preventDefault();
    // A key that repeats is one message, not many.
    if (!event.repeat) composer.send('steer');
  } else if (isKey(event, 'stopEscape')) {
    if (stop.pressEscape()) event.preventDefault();
  } else if (isKey(event, 'history')) {
    recall(event, composer, 1);
  } else if (event.key === 'ArrowDown') {
    recall(event, composer, -1);
  }
}

/** The arrow keys go through earlier messages while the field is empty or shows one of them unchanged. */
function recall(event: KeyboardEvent<HTMLTextAreaElement>, composer: ComposerModel, step: 1 | -1): void {
  const { recalled } = event.currentTarget.dataset;
  if (composer.text !== '' && composer.text !== recalled) return;
  if (composer.text === '' && step < 0) return;
  const text = composer.recall(step);
  if (text === null) return;
  event.preventDefault();
  event.currentTarget.dataset.recalled = text;
  composer.setText(text);
}

/** This engine does not grow text fields by itself. */
function useGrow(field: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    const room = (element.closest('main')?.clientHeight ?? window.innerHeight) * MAX_HEIGHT_SHARE;
    element.style.height = `${Math.min(element.scrollHeight, room)}px`;
  }, [field, text]);
}
