import { ProposalCounter, type Counted } from '@/lib/diff';

/** What the window asks of the engine. `key` names a proposal; only the changed range of its text is sent. */
export type DiffRequest =
  | { op: 'open'; key: string; base: string; proposal: string; final: string }
  | { op: 'change'; key: string; from: number; to: number; insert: string }
  | { op: 'close'; key: string };

interface OpenProposal {
  counter: ProposalCounter;
  final: string;
}

/** Counts proposals. The worker is a thin shell around this; where there are no workers it runs in the page. */
export class DiffEngine {
  private readonly proposals = new Map<string, OpenProposal>();

  /** `null` for a proposal that is not open. */
  answer(request: DiffRequest): Counted | null {
    switch (request.op) {
      case 'open': {
        const counter = new ProposalCounter(request.base, request.proposal);
        this.proposals.set(request.key, { counter, final: request.final });
        return counter.count(request.final);
      }
      case 'change': {
        const open = this.proposals.get(request.key);
        if (!open) return null;
        open.final = open.final.slice(0, request.from) + request.insert + open.final.slice(request.to);
        return open.counter.count(open.final);
      }
      case 'close':
        this.proposals.delete(request.key);
        return null;
    }
  }
}
