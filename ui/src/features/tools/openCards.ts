import { useState } from 'react';

/** Which cards the person opened or closed; rows leave the page while they are scrolled away. */
const choices = new Map<string, boolean>();

/** Whether a card is open: as the person left it, or as it is by itself. */
export function useOpen(key: string, byItself: boolean): [boolean, () => void] {
  const [, redraw] = useState(0);
  const open = choices.get(key) ?? byItself;
  const toggle = () => {
    choices.set(key, !open);
    redraw((count) => count + 1);
  };
  return [open, toggle];
}
