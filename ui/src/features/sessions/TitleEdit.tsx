import { useRef, useState } from 'react';
import { useT } from '@/i18n';
import { isComposing } from '@/keys';
import { tid } from '@/testids';
import './sessions.css';

/** Edits a title in place. Enter and leaving the field keep it, Esc restores: `null`. */
export function TitleEdit({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const t = useT();
  const [value, setValue] = useState(title);
  const finished = useRef(false);
  const finish = (next: string | null) => {
    if (finished.current) return;
    finished.current = true;
    const text = next?.trim() ?? '';
    onDone(next === null || text === '' || text === title ? null : text);
  };
  return (
    <input
      type="text"
      className="title-edit"
      data-testid={tid('session-title-edit')}
      aria-label={t('session.rename.label')}
      value={value}
      ref={(input) => {
        if (input && document.activeElement !== input && !finished.current) {
          input.focus();
          input.select();
        }
      }}
      onChange={(event) => {
        setValue(event.target.value);
      }}
      onBlur={() => {
        finish(value);
      }}
      onClick={(event) => {
        event.stopPropagation();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (isComposing(event)) return;
        if (event.key === 'Enter') finish(value);
        if (event.key === 'Escape') finish(null);
      }}
    />
  );
}
