/** Where the focus goes on purpose. Nothing here runs without a deliberate act of the person. */

/** The fields that the focus must never be taken from. */
export function isTextField(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  if (element instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(element.type);
  return element instanceof HTMLTextAreaElement || element.isContentEditable;
}

/** Puts the focus on the message field. */
export function focusComposer(): void {
  document.querySelector<HTMLElement>('[data-region="composer"] textarea')?.focus();
}

/** Puts the focus on the container of the approval on screen, never on one of its buttons. */
export function focusFirstConfirmation(): boolean {
  const card = document.querySelector<HTMLElement>('[data-confirm-focus]');
  card?.focus();
  return card !== null;
}
