import type { LineCounts } from '@/bindings';
import { useT } from '@/i18n';
import { tid } from '@/testids';

type Who = 'ai' | 'human' | 'other';

interface Props {
  ai: LineCounts;
  you: LineCounts;
  other: LineCounts;
}

/** Lines by the model, by the person, and by neither; who did nothing is left out. */
export function OwnerCounts({ ai, you, other }: Props) {
  return (
    <span className="owner-counts numbers">
      <Count who="ai" counts={ai} />
      <Count who="human" counts={you} />
      <Count who="other" counts={other} />
    </span>
  );
}

function Count({ who, counts }: { who: Who; counts: LineCounts }) {
  const t = useT();
  const name = who === 'ai' ? t('stat.ai') : who === 'human' ? t('stat.you') : t('wsdiff.other');
  const { added, removed } = counts;
  const nothing = added + removed === 0;
  return (
    <span
      className="owner-count"
      data-testid={tid('wsdiff-stat')}
      data-key={who}
      data-added={added}
      data-removed={removed}
      hidden={nothing}
    >
      <span className="visually-hidden">{t('wsdiff.said', name, added, removed)}</span>
      <span aria-hidden="true">
        {name} {t('stat.counts', added, removed)}
      </span>
    </span>
  );
}
