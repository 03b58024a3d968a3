import type { Ask, FileDiff, ProposalId } from '@/bindings';
import { Proposal } from '@/features/diff';
import type { SessionLink } from '@/state';
import { keepText, keptText } from './askDraft';

/** Proposals that were shown and may be shown again; more than that are never open together. */
const MAX_KEPT = 24;

const keptBySession = new WeakMap<SessionLink, Map<ProposalId, Proposal>>();

function keptFor(link: SessionLink): Map<ProposalId, Proposal> {
  let kept = keptBySession.get(link);
  if (!kept) {
    const fresh = new Map<ProposalId, Proposal>();
    kept = fresh;
    keptBySession.set(link, fresh);
    link.onSavedOutside.add((proposalId, saved) => fresh.get(proposalId)?.takeSaved(saved));
    link.atEnd.add(() => {
      for (const proposal of fresh.values()) proposal.close();
      fresh.clear();
    });
  }
  return kept;
}

/** The change a question is about, if it is about one. */
export function fileDiffOf(ask: Ask): FileDiff | null {
  return ask.preview.kind === 'edit' || ask.preview.kind === 'write' ? ask.preview.diff : null;
}

/** The proposal of a question, with what the person has changed so far. */
export function proposalOf(link: SessionLink, ask: Ask, diff: FileDiff): Proposal {
  const kept = keptFor(link);
  const known = kept.get(ask.proposal_id);
  if (known) return known;
  const proposal = new Proposal(ask.proposal_id, diff, keptText(link, ask));
  proposal.store.subscribe((state, before) => {
    if (state.text !== before.text) keepText(link, ask, state.text === proposal.ai ? null : state.text);
  });
  kept.set(ask.proposal_id, proposal);
  for (const id of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.get(id)?.close();
    kept.delete(id);
  }
  return proposal;
}
