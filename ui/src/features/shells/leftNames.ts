import type { ShellInfo } from '@/bindings';

/** Names beyond these are only counted. */
const NAMED = 3;

/** What outlived a command: the first of them by name, and how many more there are. */
export function leftNames(shell: ShellInfo): { names: string; more: number } {
  const named = shell.left.slice(0, NAMED);
  return {
    names: named.map(({ name, pid }) => `${name} (${pid})`).join(', '),
    more: Math.max(0, shell.leftovers - named.length),
  };
}
