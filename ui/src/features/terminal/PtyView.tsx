import { useState } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import LogView from './LogView';
import { PtyLive } from './PtyLive';
import './pty.css';

interface Props {
  shell: ShellInfo;
  /** In a card it has a few rows, in the side panel all the room there is. */
  place?: 'card' | 'panel';
}

type Mode = 'live' | 'log' | 'find' | 'away';

/** The terminal of a shell: live, or its whole output to read, or a note that it is drawn elsewhere. */
export default function PtyView({ shell, place = 'card' }: Props) {
  const t = useT();
  const [mode, setMode] = useState<Mode>('live');
  const toLive = () => {
    setMode('live');
  };
  switch (mode) {
    case 'live':
      return <PtyLive shell={shell} place={place} onMode={setMode} />;
    case 'log':
    case 'find':
      return (
        <div className="pty-log" data-place={place}>
          <LogView shell={shell} onLive={toLive} finding={mode === 'find'} />
        </div>
      );
    case 'away':
      return (
        <div className="pty pty-away" data-testid={tid('pty-away')} data-key={shell.shell_id}>
          <span>{t('pty.away')}</span>
          <Button testId="pty-here" size="small" onClick={toLive}>
            {t('pty.here')}
          </Button>
        </div>
      );
  }
}
