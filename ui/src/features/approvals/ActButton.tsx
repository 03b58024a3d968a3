import { useRef, type ComponentProps } from 'react';
import { Button } from '@/components';
import { isComposing } from '@/keys';

type Props = Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'> & {
  /** The card takes input. */
  armed: boolean;
  /** There is nothing to act on. */
  disabled?: boolean;
  onAct: () => void;
};

/**
 * A button that answers. It acts only on a press that began while the card took input: not on a key that was already
 * down, not on one that repeats, not on the second half of a double click.
 */
export function ActButton({ armed, disabled = false, onAct, ...rest }: Props) {
  const began = useRef<'armed' | 'early' | null>(null);
  return (
    <Button
      {...rest}
      disabled={disabled}
      aria-disabled={disabled || !armed}
      onPointerDown={() => {
        began.current = armed ? 'armed' : 'early';
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        began.current = armed && !event.repeat && !isComposing(event) ? 'armed' : 'early';
        if (began.current === 'early') event.preventDefault();
      }}
      onClick={() => {
        const early = began.current === 'early';
        began.current = null;
        if (armed && !early && !disabled) onAct();
      }}
    />
  );
}
