import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { IconButton } from '@/components';
import { useT } from '@/i18n';
import { isComposing } from '@/keys';
import { focusComposer } from '@/lib/focus';
import { tid } from '@/testids';
import { useFind } from './useFind';

/** Finds words in this session. */
export function FindBar({ onClose }: { onClose: () => void }) {
  const t = useT();
  const find = useFind();
  const close = () => {
    onClose();
    focusComposer();
  };
  return (
    <div className="find-bar" role="search">
      <div className="search-field">
        <Search className="icon-small" aria-hidden="true" />
        <input
          type="text"
          role="searchbox"
          data-testid={tid('session-find-input')}
          aria-label={t('find.label')}
          placeholder={t('find.label')}
          // eslint-disable-next-line jsx-a11y/no-autofocus -- the person has just asked for this field
          autoFocus
          value={find.query}
          onChange={(event) => {
            find.setQuery(event.target.value);
          }}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            if (event.key === 'Escape') {
              event.preventDefault();
              close();
            }
            if (event.key === 'Enter') find.go(event.shiftKey ? -1 : 1);
          }}
        />
      </div>
      <span
        className="find-count numbers"
        data-testid={tid('session-find-count')}
        data-count={find.count}
        data-value={find.at}
        role="status"
      >
        {find.query.trim() === '' ? '' : t('find.count', find.at, find.count)}
      </span>
      <IconButton
        testId="session-find-prev"
        label={t('find.prev')}
        data-size="small"
        disabled={find.count === 0}
        icon={<ChevronUp className="icon-small" aria-hidden="true" />}
        onClick={() => {
          find.go(-1);
        }}
      />
      <IconButton
        testId="session-find-next"
        label={t('find.next')}
        data-size="small"
        disabled={find.count === 0}
        icon={<ChevronDown className="icon-small" aria-hidden="true" />}
        onClick={() => {
          find.go(1);
        }}
      />
      <IconButton
        testId="session-find-close"
        label={t('find.close')}
        data-size="small"
        icon={<X className="icon-small" aria-hidden="true" />}
        onClick={close}
      />
    </div>
  );
}
