import { newOp, type Backend } from '@/backend';
import type { SessionId, ShellInfo } from '@/bindings';

/**
 * Asks the agent to run a command once more. It comes back as a call of its own, so it is asked about, checked and
 * recorded like any other; nothing runs because a button was pressed.
 */
export async function runAgain(backend: Backend, sessionId: SessionId, shell: ShellInfo): Promise<void> {
  const fence = '`'.repeat(longestRun(shell.command) + 3);
  // Model-facing text is English in every language of the window.
  const text = `Run this command again in ${shell.cwd}, exactly as it is:\n\n${fence}sh\n${shell.command}\n${fence}`;
  await backend.call('send', {
    op: newOp(),
    session_id: sessionId,
    text,
    delivery: 'after',
  });
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
