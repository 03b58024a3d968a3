import { Check, ChevronRight, CircleAlert, CircleDot, CircleSlash, Hand } from 'lucide-react';
import { useId } from 'react';
import type { ToolItem } from '@/lib/toolItem';
import { NetStatText } from '@/features/diff';
import { formatDuration, useT } from '@/i18n';
import { tid } from '@/testids';
import { useOpen } from './openCards';
import { ToolBody } from './ToolBody';
import { ToolIcon } from './ToolIcon';
import { cardState, stateText, type CardState } from './toolState';
import './tools.css';

/** A call: one line that opens to what it did. */
export function ToolCard({ seq, tool }: { seq: number; tool: ToolItem }) {
  const t = useT();
  const bodyId = useId();
  const state = cardState(tool);
  const runs = state === 'started' && tool.shell_id !== null;
  const [open, toggle] = useOpen(tool.call_id, runs);
  return (
    <div
      className="tool-card"
      data-testid={tid('tool-card')}
      data-key={tool.call_id}
      data-kind={tool.name}
      data-state={state}
    >
      <button
        type="button"
        className="tool-line"
        data-testid={tid('tool-toggle')}
        data-row-toggle=""
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={toggle}
      >
        <ChevronRight className="icon-small tool-arrow" aria-hidden="true" data-open={open} />
        <ToolIcon tool={tool} />
        <span className="tool-name">{tool.name}</span>
        <code className="tool-subject truncate">{tool.subject}</code>
        <Facts tool={tool} />
        {tool.edit?.state === 'undone' ? (
          <span className="tool-undone" data-testid={tid('tool-undone')}>
            {t('undo.undone')}
          </span>
        ) : null}
        <StateText tool={tool} state={state} />
      </button>
      {open ? (
        <div id={bodyId} className="tool-body">
          <ToolBody seq={seq} tool={tool} />
        </div>
      ) : null}
    </div>
  );
}

/** What the line says about the result without opening it. */
function Facts({ tool }: { tool: ToolItem }) {
  const t = useT();
  const { stat, display } = tool;
  if (stat) {
    const changed = tool.resolution?.verdict === 'edited';
    return (
      <span
        className="tool-facts"
        data-testid={tid('diffstat')}
        data-state="fresh"
        data-exact={!stat.approximate}
      >
        <NetStatText net={stat.net} showHuman={changed} />
        {changed ? <span className="tool-changed">{t('tool.changed')}</span> : null}
      </span>
    );
  }
  switch (display?.kind) {
    case 'file_read':
      return display.last_line === 0 ? null : (
        <span className="tool-facts numbers">
          {t('tool.lines', display.first_line, display.last_line, display.total_lines)}
        </span>
      );
    case 'matches':
    case 'file_list':
      return <span className="tool-facts">{display.summary}</span>;
    case 'todos':
      return <span className="tool-facts">{t('tool.todos', display.done, display.created)}</span>;
    case 'terminal':
      return display.exit_code === null || display.exit_code === 0 ? null : (
        <span className="tool-facts">{t('tool.shell.exit', display.exit_code)}</span>
      );
    default:
      return null;
  }
}

function StateText({ tool, state }: { tool: ToolItem; state: CardState }) {
  const t = useT();
  const time = tool.ms === null ? null : formatDuration(tool.ms);
  return (
    <span className="tool-state" data-state={state}>
      <StateIcon state={state} />
      <span className={state === 'done' && time !== null ? 'visually-hidden' : undefined}>
        {t(stateText(tool))}
      </span>
      {time === null ? null : (
        <span className="numbers" data-testid={tid('tool-duration')} data-value={tool.ms}>
          {time}
        </span>
      )}
    </span>
  );
}

function StateIcon({ state }: { state: CardState }) {
  const props = { className: 'icon-small', 'aria-hidden': true } as const;
  switch (state) {
    case 'done':
      return <Check {...props} />;
    case 'asking':
      return <Hand {...props} />;
    case 'started':
    case 'checked':
    case 'proposed':
      return <CircleDot {...props} />;
    case 'error':
      return <CircleAlert {...props} />;
    case 'denied':
    case 'skipped':
    case 'cancelled':
      return <CircleSlash {...props} />;
  }
}
