import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';

interface Props {
  name: string;
  title: string;
  text: string;
  /** Takes the setting back to what it is by itself; absent while it is that. */
  onReset?: (() => void) | undefined;
  children: ReactNode;
}

/** One setting: name, explanation, control, reset. */
export function SettingRow({ name, title, text, onReset, children }: Props) {
  const t = useT();
  return (
    <div className="setting-row" data-testid={tid('setting-row')} data-key={name}>
      <div className="setting-words">
        <p className="setting-name">{title}</p>
        <p className="setting-text">{text}</p>
      </div>
      <div className="setting-control">{children}</div>
      <span className="setting-reset">
        {onReset ? (
          <IconButton
            testId="setting-reset"
            label={t('settings.reset', title)}
            data-size="small"
            icon={<RotateCcw className="icon-small" aria-hidden="true" />}
            onClick={onReset}
          />
        ) : null}
      </span>
    </div>
  );
}
