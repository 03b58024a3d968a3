import { useId } from 'react';
import type { TestId } from '@/testids';
import './segmented.css';

interface Props<T extends string> {
  testId: TestId;
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One of a few choices, all in view. */
export function Segmented<T extends string>({ testId, label, value, options, onChange }: Props<T>) {
  // Two of these on one screen are two groups.
  const group = useId();
  return (
    <div className="segmented" role="radiogroup" aria-label={label} data-testid={testId} data-value={value}>
      {options.map((option) => (
        <label
          key={option.value}
          className="segment"
          data-value={option.value}
          data-on={option.value === value}
        >
          <input
            type="radio"
            className="visually-hidden"
            name={group}
            value={option.value}
            checked={option.value === value}
            onChange={() => {
              onChange(option.value);
            }}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

interface ToggleProps {
  testId: TestId;
  label: string;
  on: boolean;
  onToggle: () => void;
}

/** A choice that is on or off. */
export function Toggle({ testId, label, on, onToggle }: ToggleProps) {
  return (
    <label className="toggle">
      <input type="checkbox" data-testid={testId} checked={on} onChange={onToggle} />
      {label}
    </label>
  );
}
