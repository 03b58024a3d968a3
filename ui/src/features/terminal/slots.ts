import type { ShellId } from '@/bindings';

/** A terminal with all its lines costs the page up to 100 MB; more than these are never alive at once. */
export const MAX_SCREENS = 4;

/** A view that draws a terminal. */
export interface Claim {
  shellId: ShellId;
  /** The terminal must go: another view shows the same shell, or there would be too many. */
  revoke: () => void;
}

/** The views that draw, the one that began last at the end. */
const claims: Claim[] = [];

/**
 * Lets a view draw. A shell is drawn in one place only, since its program has one size; and of too many terminals the
 * one that began first goes. The answer ends the claim.
 */
export function claimScreen(claim: Claim): () => void {
  for (const other of claims.filter((one) => one.shellId === claim.shellId)) take(other);
  claims.push(claim);
  while (claims.length > MAX_SCREENS) {
    const [oldest] = claims;
    if (oldest) take(oldest);
  }
  return () => {
    remove(claim);
  };
}

function take(claim: Claim): void {
  remove(claim);
  claim.revoke();
}

function remove(claim: Claim): void {
  const at = claims.indexOf(claim);
  if (at >= 0) claims.splice(at, 1);
}
