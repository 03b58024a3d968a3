import type { KeyboardEvent } from 'react';
import { isKey } from '@/keys';
import { focusComposer, isTextField } from '@/lib/focus';
import type { Confirmation } from './useConfirmation';

/** What the keys of a card do; what a card does not have is left out. */
export interface CardActions {
  allow?: () => void;
  reject?: () => void;
  rejectWhy?: () => void;
  expand?: () => void;
  nextChange?: () => void;
  previousChange?: () => void;
  readStats?: () => void;
}

/** The keys of a card. They work only while the focus is inside it, and answer only once it takes input. */
export function useCardKeys(confirmation: Confirmation, actions: CardActions) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.defaultPrevented) return;
    const act = (action: (() => void) | undefined) => {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) action?.();
    };
    const answer = (action: (() => void) | undefined) => {
      act(confirmation.armed ? action : undefined);
    };
    const writing = event.target instanceof Element && isTextField(event.target);
    if (isKey(event, 'allow')) answer(actions.allow);
    // In a text these keys delete a word.
    else if (isKey(event, 'reject') && !writing) answer(actions.reject);
    else if (isKey(event, 'rejectWhy') && !writing) answer(actions.rejectWhy);
    else if (isKey(event, 'leave')) act(focusComposer);
    else if (isKey(event, 'expand') && !writing && actions.expand) act(actions.expand);
    else if ((isKey(event, 'nextChange') || isKey(event, 'nextChangePage')) && actions.nextChange)
      act(actions.nextChange);
    else if (
      (isKey(event, 'previousChange') || isKey(event, 'previousChangePage')) &&
      actions.previousChange
    ) {
      act(actions.previousChange);
    } else if (isKey(event, 'readStats') && actions.readStats) act(actions.readStats);
  };
}
