import { History } from 'lucide-react';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import { useRewound } from './useRewind';
import './rewind.css';

/** After going back: how to undo that, until the next message. */
export function RewoundBar() {
  const t = useT();
  const rewound = useRewound();
  if (!rewound) return null;
  return (
    <div className="rewound" data-testid={tid('rewind-bar')} data-count={rewound.files} role="status">
      <History className="icon-small" aria-hidden="true" />
      <span className="numbers">
        {rewound.files > 0 ? t('rewind.bar.files', rewound.files) : t('rewind.bar')}
      </span>
      <Button testId="rewind-undo" look="link" size="small" onClick={rewound.undo}>
        {t('common.undo')}
      </Button>
    </div>
  );
}
