import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import type { TestId } from '@/testids';
import './button.css';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  testId: TestId;
  /** How it looks; the meaning is in the words. */
  look?: 'normal' | 'primary' | 'danger' | 'quiet' | 'link';
  size?: 'normal' | 'small' | 'large';
  icon?: ReactNode;
  /** The key that does the same, shown beside the words. */
  keyHint?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with words. */
export function Button({
  testId,
  look = 'normal',
  size = 'normal',
  icon,
  keyHint,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button type="button" data-testid={testId} data-look={look} data-size={size} {...rest} className="button">
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

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  testId: TestId;
  label: string;
  icon: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with a picture; the label is its name and its tooltip. */
export function IconButton({ testId, label, icon, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      data-testid={testId}
      aria-label={label}
      title={label}
      {...rest}
      className="icon-button"
    >
      {icon}
    </button>
  );
}
