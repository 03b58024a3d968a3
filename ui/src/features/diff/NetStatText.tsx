import type { NetStat } from '@/bindings';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import './stat.css';

/** `AI +12 −3 · You +1 −1`, with words for readers. */
export function NetStatText({ net, showHuman }: { net: NetStat; showHuman: boolean }) {
  const t = useT();
  const { ai_added: aiAdded, ai_removed: aiRemoved, human_added: added, human_removed: removed } = net;
  const said = showHuman
    ? t('stat.said.both', aiAdded, aiRemoved, added, removed)
    : t('stat.said.ai', aiAdded, aiRemoved);
  return (
    <span className="netstat numbers">
      <span className="visually-hidden">{said}</span>
      <span
        className="netstat-ai"
        aria-hidden="true"
        data-testid={tid('diffstat-ai')}
        data-added={aiAdded}
        data-removed={aiRemoved}
      >
        {t('stat.ai')} {t('stat.counts', aiAdded, aiRemoved)}
      </span>
      {showHuman ? (
        <span
          className="netstat-human"
          aria-hidden="true"
          data-testid={tid('diffstat-human')}
          data-added={added}
          data-removed={removed}
        >
          {t('stat.you')} {t('stat.counts', added, removed)}
        </span>
      ) : null}
    </span>
  );
}
