import { useId, type ReactNode } from 'react';

interface FieldProps {
  id: string;
  className: string;
  spellCheck: false;
  'aria-describedby': string | undefined;
}

interface LabelledProps {
  label: string;
  hint?: string;
  children: (field: FieldProps) => ReactNode;
}

/** A control with its label and, below it, what helps to fill it in. */
export function Field({ label, hint, children }: LabelledProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="provider-field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: 'text-field',
        spellCheck: false,
        'aria-describedby': hint === undefined ? undefined : hintId,
      })}
      {hint === undefined ? null : (
        <p id={hintId} className="provider-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
