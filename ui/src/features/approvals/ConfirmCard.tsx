import type { ReactNode } from 'react';
import type { Ask } from '@/bindings';
import { assertNever } from '@/lib/assertNever';
import { EditCard } from './EditCard';
import { ExecCard } from './ExecCard';
import { InfoCard } from './InfoCard';
import { QuestionCard } from './QuestionCard';

/** One question of the agent; each kind draws its own. */
export function ConfirmCard({ ask, counter }: { ask: Ask; counter: ReactNode }) {
  const { preview } = ask;
  switch (preview.kind) {
    case 'edit':
    case 'write':
      return <EditCard ask={ask} counter={counter} />;
    case 'exec':
      return <ExecCard ask={ask} preview={preview} counter={counter} />;
    case 'questions':
      return <QuestionCard ask={ask} preview={preview} counter={counter} />;
    case 'info':
      return <InfoCard ask={ask} preview={preview} counter={counter} />;
    default:
      return assertNever(preview);
  }
}
