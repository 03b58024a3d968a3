import { createStore, useStore } from 'zustand';
import type { BackendError } from '@/backend';
import type { ProposalId } from '@/bindings';

/** Where the person's answer to a proposal stands. */
export type AnswerState = { status: 'submitting' } | { status: 'error'; error: BackendError };

/** Answers on their way, by proposal; they outlive the card, which may be shown elsewhere meanwhile. */
const answers = createStore<Readonly<Record<ProposalId, AnswerState>>>(() => ({}));

/** Proposals the person answered in this window. */
const answered = new Set<ProposalId>();

export function useAnswer(proposalId: ProposalId): AnswerState | null {
  return useStore(answers, (all) => all[proposalId] ?? null);
}

/** `false` if an answer is already on its way: a second press does nothing. */
export function beginAnswer(proposalId: ProposalId): boolean {
  if (answers.getState()[proposalId]?.status === 'submitting') return false;
  answered.add(proposalId);
  answers.setState({ [proposalId]: { status: 'submitting' } });
  return true;
}

export function failAnswer(proposalId: ProposalId, error: BackendError): void {
  answered.delete(proposalId);
  answers.setState({ [proposalId]: { status: 'error', error } });
}

export function wasAnsweredHere(proposalId: ProposalId): boolean {
  return answered.has(proposalId);
}
