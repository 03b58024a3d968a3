import { useEffect, useState } from 'react';
import { createStore, useStore, type StoreApi } from 'zustand';
import { newOp, toBackendError, type BackendError } from '@/backend';
import type { Ask, Decision } from '@/bindings';
import type { Proposal, ProposalState } from '@/features/diff';
import { ringAfter } from '@/lib/armClock';
import { useLink, useWorkbench } from '@/state';
import { forgetDraft } from './askDraft';
import { beginAnswer, failAnswer, useAnswer } from './decisions';
import { fileDiffOf, proposalOf } from './proposals';

/** A card takes no input this long after it appeared or changed: no key in flight can answer it. */
export const ARMING_MS = 500;

/** `data-state` of a card. */
export type ConfirmState = 'arming' | 'ready' | 'editing' | 'submitting' | 'stale' | 'error' | 'blocked';

/** One question on screen and what can be done with it. */
export interface Confirmation {
  ask: Ask;
  state: ConfirmState;
  /** Buttons act. */
  armed: boolean;
  dirty: boolean;
  /** The text equals the text before the change: nothing is left to do. */
  nothingLeft: boolean;
  /** The file would be empty. */
  becomesEmpty: boolean;
  proposal: Proposal | null;
  error: BackendError | null;
  decide: (decision: Decision) => void;
}

export function useConfirmation(ask: Ask): Confirmation {
  const link = useLink();
  const { backend } = useWorkbench();
  const answer = useAnswer(link, ask.proposal_id);
  const armed = useArming(`${ask.proposal_id}:${ask.state}`);
  const diff = fileDiffOf(ask);
  const proposal = diff ? proposalOf(link, ask, diff) : null;
  const dirty = useProposal(proposal, isDirty, false);
  const atBase = useProposal(proposal, isAtBase, false);
  const isEmpty = useProposal(proposal, hasNoText, false);
  const error = answer?.status === 'error' ? answer.error : null;

  const send = async (decision: Decision) => {
    if (!beginAnswer(link, ask.proposal_id)) return;
    try {
      await backend.call('decide', {
        op: newOp(),
        session_id: link.sessionId,
        call_id: ask.call_id,
        proposal_id: ask.proposal_id,
        decision,
      });
      forgetDraft(link, ask);
    } catch (thrown) {
      failAnswer(link, ask.proposal_id, toBackendError(thrown));
    }
  };
  const state = stateOf({ ask, submitting: answer?.status === 'submitting', error, armed, dirty });
  return {
    ask,
    state,
    armed: armed && answer?.status !== 'submitting',
    dirty,
    nothingLeft: dirty && atBase && diff?.is_new !== true && diff?.notebook?.mode !== 'insert',
    becomesEmpty: dirty && isEmpty && diff?.notebook === null,
    proposal,
    error,
    decide: (decision) => void send(decision),
  };
}

interface StateFacts {
  ask: Ask;
  submitting: boolean;
  error: BackendError | null;
  armed: boolean;
  dirty: boolean;
}

function stateOf({ ask, submitting, error, armed, dirty }: StateFacts): ConfirmState {
  if (submitting) return 'submitting';
  if (ask.state === 'stale') return 'stale';
  if (error) return error.code === 'ENCODING' ? 'blocked' : 'error';
  if (!armed) return 'arming';
  return dirty ? 'editing' : 'ready';
}

/** Whether what `key` names has been on screen long enough. */
function useArming(key: string): boolean {
  const [armedKey, setArmedKey] = useState<string | null>(null);
  useEffect(
    () =>
      ringAfter(ARMING_MS, () => {
        setArmedKey(key);
      }),
    [key],
  );
  return armedKey === key;
}

const NO_PROPOSAL = createStore<ProposalState | null>(() => null);

const isDirty = (proposal: Proposal, { text }: ProposalState) => text !== proposal.ai;
const isAtBase = (proposal: Proposal, { text }: ProposalState) => text === proposal.base;
const hasNoText = (_proposal: Proposal, { text }: ProposalState) => text === '';

/** A fact about a proposal. The card is drawn again when the fact changes, not with every key. */
function useProposal<T>(
  proposal: Proposal | null,
  fact: (proposal: Proposal, state: ProposalState) => T,
  without: T,
): T {
  const store: Pick<
    StoreApi<ProposalState | null>,
    'getState' | 'getInitialState' | 'subscribe'
  > = proposal?.store ?? NO_PROPOSAL;
  return useStore(store, (state) => (proposal && state ? fact(proposal, state) : without));
}
