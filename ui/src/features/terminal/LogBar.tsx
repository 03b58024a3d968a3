import { ArrowDown, ChevronDown, ChevronUp, FileText, SquareTerminal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ShellInfo } from '@/bindings';
import { Button, IconButton, Toggle } from '@/components';
import { useT } from '@/i18n';
import { useRun, useWorkbench } from '@/state';
import { tid } from '@/testids';
import type { LogFind } from './useLogFind';

interface Props {
  shell: ShellInfo;
  find: LogFind;
  finding: boolean;
  wrap: boolean;
  onWrap: () => void;
  onLive: (() => void) | undefined;
  onEnd: () => void;
  total: number;
}

/** Find, wrap, to the end, the file, and back to the live terminal. */
export function LogBar({ shell, find, finding, wrap, onWrap, onLive, onEnd, total }: Props) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  return (
    <div className="log-bar">
      {onLive ? (
        <Button
          testId="log-live"
          size="small"
          icon={<SquareTerminal className="icon-small" aria-hidden="true" />}
          onClick={onLive}
        >
          {t('log.live')}
        </Button>
      ) : null}
      <FindField find={find} focused={finding} />
      <Toggle testId="log-wrap" label={t('review.wrap')} on={wrap} onToggle={onWrap} />
      <span className="log-total numbers">{t('log.total', total)}</span>
      <IconButton
        testId="log-end"
        label={t('chat.toend')}
        data-size="small"
        icon={<ArrowDown className="icon-small" aria-hidden="true" />}
        onClick={onEnd}
      />
      <IconButton
        testId="log-file"
        label={t('log.file')}
        data-size="small"
        icon={<FileText className="icon-small" aria-hidden="true" />}
        onClick={() => run(backend.call('open_shell_output', { shell_id: shell.shell_id }))}
      />
    </div>
  );
}

function FindField({ find, focused }: { find: LogFind; focused: boolean }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) field.current?.focus();
  }, [focused]);
  const said =
    find.state === 'found'
      ? t('find.count', find.at + 1, find.total)
      : find.state === 'none'
        ? t('log.none')
        : '';
  return (
    <search className="log-find">
      <input
        ref={field}
        className="text-field"
        data-testid={tid('pty-find-input')}
        type="text"
        value={find.text}
        placeholder={t('log.find')}
        aria-label={t('log.find')}
        onChange={(event) => {
          find.setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find.go(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') find.setText('');
        }}
      />
      <span
        className="log-find-count numbers"
        data-testid={tid('log-find-count')}
        data-state={find.state}
        data-value={find.total}
        role="status"
      >
        {said}
      </span>
      <IconButton
        testId="log-find-prev"
        label={t('find.prev')}
        data-size="small"
        disabled={find.hits.length === 0}
        icon={<ChevronUp className="icon-small" aria-hidden="true" />}
        onClick={() => {
          find.go(-1);
        }}
      />
      <IconButton
        testId="log-find-next"
        label={t('find.next')}
        data-size="small"
        disabled={find.hits.length === 0}
        icon={<ChevronDown className="icon-small" aria-hidden="true" />}
        onClick={() => {
          find.go(1);
        }}
      />
    </search>
  );
}
