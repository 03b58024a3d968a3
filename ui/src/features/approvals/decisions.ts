import { createStore, useStore, type StoreApi } from 'zustand';
import type { BackendError } from '@/backend';
import type { ProposalId } from '@/bindings';
import type { SessionLink } from '@/state';

/** Where the person's answer to a proposal stands. */
export type AnswerState = { status: 'submitting' } | { status: 'error'; error: BackendError };

/** Answers given in this window to the questions of one session; they outlive the card that gave them. */
interface Answers {
  states: StoreApi<Readonly<Record<ProposalId, AnswerState>>>;
  given: Set<ProposalId>;
}

const answersBySession = new WeakMap<SessionLink, Answers>();

function answersOf(link: SessionLink): Answers {
  let answers = answersBySession.get(link);
  if (!answers) {
    answers = {
      states: createStore<Readonly<Record<ProposalId, AnswerState>>>(() => ({})),
      given: new Set(),
    };
    answersBySession.set(link, answers);
  }
  return answers;
}

export function useAnswer(link: SessionLink, proposalId: ProposalId): AnswerState | null {
  return useStore(answersOf(link).states, (all) => all[proposalId] ?? null);
}

/** `false` if an answer is already on its way: a second press does nothing. */
export function beginAnswer(link: SessionLink, proposalId: ProposalId): boolean {
  const { states, given } = answersOf(link);
  if (states.getState()[proposalId]?.status === 'submitting') return false;
  given.add(proposalId);
  states.setState({ [proposalId]: { status: 'submitting' } });
  return true;
}

export function failAnswer(link: SessionLink, proposalId: ProposalId, error: BackendError): void {
  const { states, given } = answersOf(link);
  given.delete(proposalId);
  states.setState({ [proposalId]: { status: 'error', error } });
}

export function wasAnsweredHere(link: SessionLink, proposalId: ProposalId): boolean {
  return answersOf(link).given.has(proposalId);
}
