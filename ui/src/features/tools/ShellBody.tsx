import { lazy, Suspense } from 'react';
import type { ToolItem } from '@/lib/toolItem';
import { Loading, VisibleText } from '@/components';
import { useT } from '@/i18n';
import { useSession } from '@/state';
import { tid } from '@/testids';
import { Arguments } from './Arguments';
import { ResultText } from './ResultText';

const PtyView = lazy(() => import('@/features/terminal/PtyView'));

/** A command that fits the card's own line is not repeated below it. */
const MAX_LINE_CHARS = 60;

/** A command: its whole text, its live terminal while it runs, its end afterwards. */
export function ShellBody({ seq, tool }: { seq: number; tool: ToolItem }) {
  const t = useT();
  const display = tool.display?.kind === 'terminal' ? tool.display : null;
  const shell = useSession(
    (session) => (tool.shell_id === null ? null : (session.shells[tool.shell_id] ?? null)),
    null,
  );
  const live = shell && (tool.state === 'running' || (shell.background && shell.state === 'running'));
  const command = shell?.command ?? display?.command ?? tool.subject;
  const cwd = display?.cwd ?? shell?.cwd ?? '';
  return (
    <>
      <div className="shell-head">
        {command === tool.subject && command.length <= MAX_LINE_CHARS && !command.includes('\n') ? null : (
          <pre className="tool-text tool-command selectable" data-testid={tid('tool-command')}>
            <VisibleText text={command} />
          </pre>
        )}
        {cwd === '' ? null : (
          <p className="row-note">
            {t('tool.shell.cwd')} <code>{cwd}</code>
          </p>
        )}
      </div>
      {live ? (
        <Suspense fallback={<Loading text={t('pty.loading')} lines={1} />}>
          <PtyView key={shell.shell_id} shell={shell} />
        </Suspense>
      ) : display ? (
        <Ended tool={tool} display={display} seq={seq} />
      ) : (
        <Result tool={tool} seq={seq} />
      )}
    </>
  );
}

function Result({ tool, seq }: { tool: ToolItem; seq: number }) {
  if (tool.result_text === null) return <Arguments args={tool.args} />;
  return <ResultText seq={seq} text={tool.result_text} chars={tool.result_chars} />;
}

interface EndedProps {
  tool: ToolItem;
  seq: number;
  display: Extract<NonNullable<ToolItem['display']>, { kind: 'terminal' }>;
}

function Ended({ tool, display, seq }: EndedProps) {
  const t = useT();
  return (
    <>
      {display.tail === '' ? (
        <p className="row-note">{t('tool.shell.noout')}</p>
      ) : (
        <pre
          className="tool-text tool-screen selectable"
          data-testid={tid('tool-screen')}
          tabIndex={0}
          aria-label={t('tool.result')}
        >
          {display.tail}
        </pre>
      )}
      <p className="row-note numbers">
        {display.exit_code === null ? null : t('tool.shell.exit', display.exit_code)}
        {display.signal === null ? null : t('tool.shell.signal', display.signal)}
        {' · '}
        {t('tool.shell.lines', display.lines)}
      </p>
      {tool.result_text === null ? null : (
        <details>
          <summary data-testid={tid('tool-result-toggle')}>{t('tool.result')}</summary>
          <ResultText seq={seq} text={tool.result_text} chars={tool.result_chars} />
        </details>
      )}
    </>
  );
}
