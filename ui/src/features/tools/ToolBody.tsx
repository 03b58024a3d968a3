import { useState } from 'react';
import type { Display, FileDiff, Resolution } from '@/bindings';
import type { ToolItem } from '@/lib/toolItem';
import { OpenFile, UndoEdit } from '@/features/changes';
import { NotebookSwitch, UnifiedDiff, type NotebookView } from '@/features/diff';
import { TodoIcon } from '@/features/todos';
import { useT } from '@/i18n';
import { tid } from '@/testids';
import { Arguments } from './Arguments';
import { ResultText } from './ResultText';
import { ShellBody } from './ShellBody';

/** Rows of a list that are shown before the person asks for the rest. */
const FIRST_ROWS = 20;

/** What a card holds when it is open. */
export function ToolBody({ seq, tool }: { seq: number; tool: ToolItem }) {
  return (
    <>
      {tool.resolution ? <ResolutionLine resolution={tool.resolution} /> : null}
      {tool.failure ? (
        <p className="tool-error selectable" data-testid={tid('tool-error')} data-value={tool.failure.code}>
          {tool.failure.message}
        </p>
      ) : null}
      <DisplayBody seq={seq} tool={tool} display={tool.display} />
      {tool.edit ? (
        <div className="tool-acts">
          <UndoEdit callId={tool.call_id} mark={tool.edit} />
          {tool.display?.kind === 'file_diff' ? <OpenFile path={tool.display.diff.file_path} /> : null}
        </div>
      ) : null}
    </>
  );
}

function DisplayBody({ seq, tool, display }: { seq: number; tool: ToolItem; display: Display | null }) {
  const t = useT();
  if (tool.tool_kind === 'execute' && tool.shell_id !== null) return <ShellBody seq={seq} tool={tool} />;
  switch (display?.kind) {
    case 'file_diff':
      return <LandedDiff diff={display.diff} />;
    case 'terminal':
      return <ShellBody seq={seq} tool={tool} />;
    case 'todos':
      return (
        <ul className="tool-todos">
          {display.todos.map((todo) => (
            <li key={todo.id}>
              <TodoIcon state={todo.status} />
              <span className="selectable">{todo.content}</span>
              <span className="visually-hidden">{t(`todos.state.${todo.status}`)}</span>
            </li>
          ))}
        </ul>
      );
    case 'answers':
      return <Rows rows={display.lines} />;
    case 'file_list':
      return <Rows rows={display.paths} code />;
    case 'matches':
      return (
        <>
          <Rows rows={display.hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`)} code />
          {display.incomplete ? <p className="row-note">{t('tool.incomplete')}</p> : null}
        </>
      );
    case 'text':
      return <ResultText seq={seq} text={display.text} chars={display.text.length} />;
    case 'file_read':
    case 'none':
    case undefined:
      return (
        <>
          <Arguments args={tool.args} />
          {tool.result_text === null ? null : (
            <ResultText seq={seq} text={tool.result_text} chars={tool.result_chars} />
          )}
        </>
      );
  }
}

/** A change that landed; of a notebook also as it stands in the file. */
function LandedDiff({ diff }: { diff: FileDiff }) {
  const t = useT();
  const [view, setView] = useState<NotebookView>('source');
  const { notebook } = diff;
  if (!notebook) return <UnifiedDiff diff={diff} />;
  return (
    <>
      <NotebookSwitch notebook={notebook} view={view} onChange={setView} />
      {view === 'raw' ? (
        <UnifiedDiff
          diff={{ ...diff, unified_diff: notebook.raw_diff }}
          label={t('notebook.raw', diff.display_path)}
        />
      ) : (
        <UnifiedDiff diff={diff} />
      )}
    </>
  );
}

function Rows({ rows, code = false }: { rows: readonly string[]; code?: boolean }) {
  const t = useT();
  const shown = rows.slice(0, FIRST_ROWS);
  const rest = rows.length - shown.length;
  return (
    <div
      className={code ? 'tool-rows code selectable' : 'tool-rows selectable'}
      data-testid={tid('tool-result')}
    >
      {shown.map((row, at) => (
        <div key={at}>{row}</div>
      ))}
      {rest > 0 ? (
        <details>
          <summary data-testid={tid('tool-result-more')}>{t('tool.files.more', rest)}</summary>
          {rows.slice(FIRST_ROWS).map((row, at) => (
            <div key={at}>{row}</div>
          ))}
        </details>
      ) : null}
    </div>
  );
}

/** Who let the call pass, how far, and by which rule. */
function ResolutionLine({ resolution }: { resolution: Resolution }) {
  const t = useT();
  const { verdict, scope, rules, words } = resolution;
  if (verdict === 'automatic' && rules.length === 0) return null;
  const text =
    verdict === 'allowed'
      ? t(`verdict.allowed.${scope ?? 'once'}`)
      : verdict === 'automatic'
        ? t('verdict.automatic.rule')
        : t(`verdict.${verdict}`);
  return (
    <p className="tool-resolution">
      {text}
      {rules.map((rule) => (
        <code key={rule} className="tool-rule">
          {rule}
        </code>
      ))}
      {words === null || words === '' ? null : <q className="selectable">{words}</q>}
    </p>
  );
}
