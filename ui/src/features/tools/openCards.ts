import { useState } from 'react';
import { useLink, useWorkbench, type Workbench } from '@/state';

/** Which cards the person opened or closed; rows leave the page while they are scrolled away. */
const choicesOf = new WeakMap<Workbench, Map<string, boolean>>();

function choicesIn(workbench: Workbench): Map<string, boolean> {
  let choices = choicesOf.get(workbench);
  if (!choices) {
    choices = new Map();
    choicesOf.set(workbench, choices);
  }
  return choices;
}

/** Whether a card is open: as the person left it, or as it is by itself. */
export function useOpen(key: string, byItself: boolean): [boolean, () => void] {
  const choices = choicesIn(useWorkbench());
  const place = `${useLink().sessionId}:${key}`;
  const [, redraw] = useState(0);
  const open = choices.get(place) ?? byItself;
  const toggle = () => {
    choices.set(place, !open);
    redraw((count) => count + 1);
  };
  return [open, toggle];
}
