import { createStore } from 'zustand/vanilla';

/** What is read aloud by screen readers: `polite` waits for a pause, `assertive` does not. */
export const announcements = createStore<{ polite: string; assertive: string }>(() => ({
  polite: '',
  assertive: '',
}));

/** Says something when there is a pause. */
export function announce(text: string): void {
  announcements.setState({ polite: text });
}

/** Says something at once: approvals, and errors that stop the turn. */
export function announceNow(text: string): void {
  announcements.setState({ assertive: text });
}
