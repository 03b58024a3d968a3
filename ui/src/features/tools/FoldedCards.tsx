import { ChevronRight, Files } from 'lucide-react';
import { useId } from 'react';
import { useT } from '@/i18n';
import { toolOf, useSession } from '@/state';
import { tid } from '@/testids';
import { useOpen } from './openCards';
import { ToolCard } from './ToolCard';
import './tools.css';

/** Finished reads and searches of one step as one line: “5 reads, 2 searches”. */
export function FoldedCards({ seqs }: { seqs: readonly number[] }) {
  const t = useT();
  const bodyId = useId();
  const [open, toggle] = useOpen(`fold-${seqs[0] ?? 0}`, false);
  const searches = useSession(
    (session) => seqs.filter((seq) => toolKind(session.items[seq]) === 'search').length,
    0,
  );
  return (
    <div className="tool-card" data-testid={tid('tool-fold')} data-count={seqs.length}>
      <button
        type="button"
        className="tool-line"
        data-testid={tid('tool-fold-toggle')}
        data-row-toggle=""
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={toggle}
      >
        <ChevronRight className="icon-small tool-arrow" aria-hidden="true" data-open={open} />
        <Files className="icon tool-icon" aria-hidden="true" />
        <span className="tool-name">{t('chat.fold', seqs.length - searches, searches)}</span>
      </button>
      {open ? (
        <div id={bodyId} className="tool-folded">
          {seqs.map((seq) => (
            <Member key={seq} seq={seq} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

function toolKind(item: Parameters<typeof toolOf>[0] | undefined): string | null {
  return item ? (toolOf(item)?.tool_kind ?? null) : null;
}

function Member({ seq }: { seq: number }) {
  const tool = useSession((session) => {
    const item = session.items[seq];
    return item ? toolOf(item) : null;
  }, null);
  return tool ? <ToolCard seq={seq} tool={tool} /> : null;
}
