import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { VList, type VListHandle } from 'virtua';
import type { ShellInfo } from '@/bindings';
import { Empty, Failure, Loading } from '@/components';
import { useT } from '@/i18n';
import { provide } from '@/lib/probes';
import { useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { LogBar } from './LogBar';
import { LogLineView } from './LogLineView';
import { LogModel } from './logModel';
import { useLogFind } from './useLogFind';
import { textOf } from '@/lib/ansi';
import './log.css';

/** A running command's log is looked at again this often. */
const REFRESH_MS = 1_000;

interface Props {
  shell: ShellInfo;
  /** Goes back to the live terminal, where there is one. */
  onLive?: () => void;
  /** Opens with the field for finding. */
  finding?: boolean;
}

/** The whole output of a command to read, to search, to copy from. */
export default function LogView({ shell, onLive, finding = false }: Props) {
  const t = useT();
  const errorText = useErrorText();
  const { backend } = useWorkbench();
  const list = useRef<VListHandle>(null);
  const [model] = useState(() => new LogModel(backend, shell.shell_id));
  const { total, error } = useSyncExternalStore(model.store.subscribe, model.store.getState);
  const [wrap, setWrap] = useState(false);
  const find = useLogFind(model, (line) => list.current?.scrollToIndex(line, { align: 'center' }));
  useFirstLook(model, list, shell.state === 'running');
  useEffect(
    () =>
      provide(`terminalText:${shell.shell_id}`, (from, to) => {
        const lines = Array.from({ length: Math.max(0, Math.min(to, total ?? 0) - from) }, (_, at) =>
          model.line(from + at),
        );
        return lines.map((line) => (line ? textOf(line) : '')).join('\n');
      }),
    [model, shell.shell_id, total],
  );
  return (
    <div
      className="log"
      data-testid={tid('log-view')}
      data-key={shell.shell_id}
      data-state={error ? 'error' : total === null ? 'loading' : 'ready'}
      data-count={total ?? 0}
    >
      <LogBar
        shell={shell}
        find={find}
        finding={finding}
        wrap={wrap}
        onWrap={() => {
          setWrap(!wrap);
        }}
        onLive={onLive}
        onEnd={() => list.current?.scrollToIndex(Math.max(0, (total ?? 0) - 1), { align: 'end' })}
        total={total ?? 0}
      />
      {error ? (
        <Failure title={t('log.error')} text={errorText(error)} />
      ) : total === null ? (
        <Loading text={t('log.loading')} />
      ) : total === 0 ? (
        <Empty title={t('tool.shell.noout')} />
      ) : (
        <VList
          ref={list}
          className="log-lines log-scroll selectable"
          data-wrap={wrap}
          role="group"
          tabIndex={0}
          aria-label={t('log.lines', shell.command)}
          data={NUMBERS(total)}
        >
          {(at) => <Line key={at} model={model} at={at} query={find.query} current={find.line === at} />}
        </VList>
      )}
    </div>
  );
}

/** The numbers from zero on; the list wants something to show for each row. */
const NUMBERS = (() => {
  let numbers: number[] = [];
  return (count: number) => {
    if (numbers.length !== count) numbers = Array.from({ length: count }, (_, at) => at);
    return numbers;
  };
})();

/** Fetches the end first, since that is what a person wants to see, and goes there. */
function useFirstLook(model: LogModel, list: { current: VListHandle | null }, running: boolean): void {
  const total = useSyncExternalStore(model.store.subscribe, () => model.store.getState().total);
  const known = total !== null;
  useEffect(() => {
    void model.refresh();
    if (!running) return undefined;
    const timer = window.setInterval(() => void model.refresh(), REFRESH_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [model, running]);
  useEffect(() => {
    if (known) list.current?.scrollToIndex((model.store.getState().total ?? 1) - 1, { align: 'end' });
  }, [known, list, model]);
}

function Line({
  model,
  at,
  query,
  current,
}: {
  model: LogModel;
  at: number;
  query: string;
  current: boolean;
}) {
  const line = useSyncExternalStore(model.store.subscribe, () => model.line(at));
  useEffect(() => {
    model.want(at);
  }, [model, at]);
  return <LogLineView at={at} line={line} query={query} current={current} />;
}
