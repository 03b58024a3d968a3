import { useState, type ButtonHTMLAttributes, type MouseEvent, type ReactNode, type Ref } from 'react';
import type { TestId } from '@/testids';
import './button.css';

type Press = (event: MouseEvent<HTMLButtonElement>) => unknown;

interface Pressable extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'onClick'> {
  testId: TestId;
  /** What a press does. While the promise it gives is open, further presses do nothing. */
  onClick?: Press | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/** Runs a press and ignores others until it is done. */
function usePress(onClick: Press | undefined): {
  busy: boolean;
  press: (event: MouseEvent<HTMLButtonElement>) => void;
} {
  const [busy, setBusy] = useState(false);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) return;
    const work = onClick?.(event);
    if (!(work instanceof Promise)) return;
    setBusy(true);
    const done = () => {
      setBusy(false);
    };
    work.then(done, done);
  };
  return { busy, press };
}

export interface ButtonProps extends Pressable {
  /** How it looks; the meaning is in the words. */
  look?: 'normal' | 'primary' | 'danger' | 'quiet' | 'link';
  size?: 'normal' | 'small' | 'large';
  icon?: ReactNode;
  /** The key that does the same, shown beside the words. */
  keyHint?: string | undefined;
}

/** A button with words. */
export function Button(props: ButtonProps) {
  const { testId, look = 'normal', size = 'normal', icon, keyHint, onClick, children, ...rest } = props;
  const { busy, press } = usePress(onClick);
  return (
    <button
      type="button"
      data-testid={testId}
      data-look={look}
      data-size={size}
      {...rest}
      {...(busy ? { 'aria-disabled': true } : {})}
      className="button"
      onClick={press}
    >
      {icon}
      {children}
      {keyHint === undefined ? null : (
        <kbd className="button-key" aria-hidden="true">
          {keyHint}
        </kbd>
      )}
    </button>
  );
}

export interface IconButtonProps extends Pressable {
  label: string;
  icon: ReactNode;
}

/** A button with a picture; the label is its name and its tooltip. */
export function IconButton({ testId, label, icon, onClick, ...rest }: IconButtonProps) {
  const { busy, press } = usePress(onClick);
  return (
    <button
      type="button"
      data-testid={testId}
      aria-label={label}
      title={label}
      {...rest}
      {...(busy ? { 'aria-disabled': true } : {})}
      className="icon-button"
      onClick={press}
    >
      {icon}
    </button>
  );
}
