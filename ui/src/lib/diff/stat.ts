import type { DiffStat, NetStat } from '@/bindings';
import { align, hunksOf, newOfOld, oldOfNew, type Alignment, type Hunk } from './align';
import { LineNumbers, splitLines } from './lines';

/** Who a line of the final text, or a gap between two lines, belongs to. */
export type Owner = 'ai' | 'human';

/** Statistics of a proposal with the marks that say the same line by line. */
export interface Counted {
  stat: DiffStat;
  /** For each line of the final text: kept from the base (`null`), by the model, or by the person. */
  owners: readonly (Owner | null)[];
  /** Before which final line how many lines of the model were dropped by the person. */
  dropped: ReadonlyMap<number, number>;
  /** What differs between base and final. */
  hunks: readonly Hunk[];
}

const NO_NET: NetStat = {
  ai_added: 0,
  human_added: 0,
  ai_removed: 0,
  human_removed: 0,
  ai_added_undone: 0,
  ai_removed_undone: 0,
};

interface Counts {
  addedLines: number;
  removedLines: number;
  addedChars: number;
  removedChars: number;
  whitespaceOnly: number;
}

const NO_COUNTS: Counts = {
  addedLines: 0,
  removedLines: 0,
  addedChars: 0,
  removedChars: 0,
  whitespaceOnly: 0,
};

/**
 * Counts whose lines they are: base to proposal, proposal to final, and what really changed between base and final.
 * All texts have LF breaks. The definitions are those of the backend, which counts again when the answer arrives.
 */
export class ProposalCounter {
  private readonly base: string;
  private readonly proposal: string;
  private readonly numbers = new LineNumbers();
  private readonly proposalLines: readonly string[];
  private readonly baseIds: Int32Array;
  private readonly proposalIds: Int32Array;
  private readonly byModel: Alignment;
  private readonly model: Counts;

  constructor(base: string, proposal: string) {
    this.base = base;
    this.proposal = proposal;
    const baseLines = splitLines(base);
    this.proposalLines = splitLines(proposal);
    this.baseIds = this.numbers.of(baseLines);
    this.proposalIds = this.numbers.of(this.proposalLines);
    this.byModel = align(this.baseIds, this.proposalIds);
    this.model = countLines(baseLines, this.proposalLines, this.byModel);
  }

  /** Counts for the text as it stands. */
  count(final: string): Counted {
    if (final === this.proposal) return this.asProposed();
    const finalLines = splitLines(final);
    const finalIds = this.numbers.of(finalLines);
    const byPerson = align(this.proposalIds, finalIds);
    const overall = align(this.baseIds, finalIds);
    const { net, owners, dropped } = this.whose(byPerson, overall);
    const exact = this.byModel.exact && byPerson.exact && overall.exact;
    const user = countLines(this.proposalLines, finalLines, byPerson);
    return { stat: this.toStat(user, net, final, exact), owners, dropped, hunks: hunksOf(overall) };
  }

  private asProposed(): Counted {
    const { model } = this;
    const net: NetStat = { ...NO_NET, ai_added: model.addedLines, ai_removed: model.removedLines };
    const owners = [...oldOfNew(this.byModel)].map((old): Owner | null => (old < 0 ? 'ai' : null));
    const stat = this.toStat(NO_COUNTS, net, this.proposal, this.byModel.exact);
    return { stat, owners, dropped: new Map(), hunks: hunksOf(this.byModel) };
  }

  private toStat(user: Counts, net: NetStat, final: string, exact: boolean): DiffStat {
    const { model } = this;
    return {
      model_added_lines: model.addedLines,
      model_removed_lines: model.removedLines,
      model_added_chars: model.addedChars,
      model_removed_chars: model.removedChars,
      user_added_lines: user.addedLines,
      user_removed_lines: user.removedLines,
      user_added_chars: user.addedChars,
      user_removed_chars: user.removedChars,
      model_whitespace_only_lines: model.whitespaceOnly,
      user_whitespace_only_lines: user.whitespaceOnly,
      net,
      final_newline_changed: finalNewlineDiffers(this.base, final),
      approximate: !exact,
    };
  }

  private whose(
    byPerson: Alignment,
    overall: Alignment,
  ): { net: NetStat } & Pick<Counted, 'owners' | 'dropped'> {
    const net = { ...NO_NET };
    const fromBase = oldOfNew(this.byModel);
    const fromProposal = oldOfNew(byPerson);
    const owners = [...oldOfNew(overall)].map((old, at): Owner | null => {
      if (old >= 0) return null;
      const proposed = fromProposal[at] ?? -1;
      return proposed >= 0 && (fromBase[proposed] ?? -1) < 0 ? 'ai' : 'human';
    });
    net.ai_added = owners.filter((owner) => owner === 'ai').length;
    net.human_added = owners.filter((owner) => owner === 'human').length;
    const keptByModel = newOfOld(this.byModel);
    for (const [at, final] of newOfOld(overall).entries()) {
      const removedByModel = (keptByModel[at] ?? -1) < 0;
      if (final >= 0) net.ai_removed_undone += removedByModel ? 1 : 0;
      else if (removedByModel) net.ai_removed += 1;
      else net.human_removed += 1;
    }
    const dropped = new Map<number, number>();
    const kept = newOfOld(byPerson);
    for (let at = 0, place = 0; at < kept.length; at += 1) {
      const final = kept[at] ?? -1;
      if (final >= 0) place = final + 1;
      else if ((fromBase[at] ?? -1) < 0) {
        net.ai_added_undone += 1;
        dropped.set(place, (dropped.get(place) ?? 0) + 1);
      }
    }
    return { net, owners, dropped };
  }
}

/** Counts once, without keeping anything. Texts may have CRLF line ends. */
export function diffStat(base: string, proposal: string, final: string): DiffStat {
  return new ProposalCounter(withLf(base), withLf(proposal)).count(withLf(final)).stat;
}

function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** One text gained or lost its final line end. Empty texts have none to lose. */
function finalNewlineDiffers(a: string, b: string): boolean {
  return a !== '' && b !== '' && a.endsWith('\n') !== b.endsWith('\n');
}

function countLines(oldLines: readonly string[], newLines: readonly string[], alignment: Alignment): Counts {
  const counts = { ...NO_COUNTS };
  for (const hunk of hunksOf(alignment)) {
    const removed = oldLines.slice(hunk.oldFrom, hunk.oldTo);
    const added = newLines.slice(hunk.newFrom, hunk.newTo);
    counts.removedLines += removed.length;
    counts.addedLines += added.length;
    for (const line of removed) counts.removedChars += countScalars(line);
    for (const line of added) counts.addedChars += countScalars(line);
    const pairs = Math.min(removed.length, added.length);
    for (let at = 0; at < pairs; at += 1) {
      if (withoutWhiteSpace(removed[at] ?? '') === withoutWhiteSpace(added[at] ?? ''))
        counts.whitespaceOnly += 1;
    }
  }
  return counts;
}

/** Unicode scalar values, where JavaScript counts halves of the larger ones. */
function countScalars(line: string): number {
  const pairs = line.match(/[\ud800-\udbff][\udc00-\udfff]/g);
  return line.length - (pairs?.length ?? 0);
}

/** Unicode's white space, which is not quite that of JavaScript's `\s`. */
function withoutWhiteSpace(line: string): string {
  return line.replace(/[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g, '');
}
