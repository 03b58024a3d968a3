import { OctagonX, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { VList } from 'virtua';
import type { ShellInfo } from '@/bindings';
import { Button, Empty } from '@/components';
import { useT } from '@/i18n';
import { useLink, useRun, useSession, useUi, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { KillAllDialog } from './KillAllDialog';
import { ShellDetail } from './ShellDetail';
import { ShellRow } from './ShellRow';
import { useTrueStates } from './useTrueStates';
import './shells.css';

/** From this many on the list is virtual. */
const VIRTUAL_FROM = 40;

const NONE: Readonly<Record<string, ShellInfo>> = {};

/** The commands of this session: running ones first, then the ended ones, newest first; or one of them, opened. */
export function ShellsPanel() {
  const shells = useSession((session) => session.shells, NONE);
  const openId = useUi((state) => state.openShell);
  useTrueStates();
  const rows = Object.values(shells).sort(byState);
  const open = openId === null ? undefined : shells[openId];
  return (
    <div className="shells-panel" data-testid={tid('shells-panel')} data-count={rows.length}>
      {open ? <ShellDetail key={open.shell_id} shell={open} /> : <ShellList rows={rows} />}
    </div>
  );
}

/** What runs stays where it is; of what ended the newest comes first. */
function byState(a: ShellInfo, b: ShellInfo): number {
  const [aRuns, bRuns] = [a.state === 'running', b.state === 'running'];
  if (aRuns !== bRuns) return aRuns ? -1 : 1;
  if (aRuns) return a.started_at - b.started_at;
  return (b.ended_at ?? b.started_at) - (a.ended_at ?? a.started_at);
}

function ShellList({ rows }: { rows: readonly ShellInfo[] }) {
  const t = useT();
  if (rows.length === 0) return <Empty title={t('shells.empty')} text={t('shells.empty.hint')} />;
  const items = rows.map((shell) => <ShellRow key={shell.shell_id} shell={shell} />);
  return (
    <>
      <ShellsHead rows={rows} />
      {items.length < VIRTUAL_FROM ? (
        <ul className="shells">{items}</ul>
      ) : (
        <VList className="shells shells-virtual">{items}</VList>
      )}
    </>
  );
}

function ShellsHead({ rows }: { rows: readonly ShellInfo[] }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  const { sessionId } = useLink();
  const [asking, setAsking] = useState(false);
  const running = rows.filter((shell) => shell.state === 'running');
  // A command that the agent waits for is stopped with its call.
  const inBackground = running.filter((shell) => shell.background);
  const ended = rows.length - running.length;
  return (
    <header className="shells-head">
      <span className="shells-count numbers" data-testid={tid('shells-count')} data-value={running.length}>
        {t('shells.count', running.length, ended)}
      </span>
      {ended > 0 ? (
        <Button
          testId="shell-remove-ended"
          size="small"
          look="quiet"
          title={t('shells.remove.hint')}
          icon={<Trash2 className="icon-small" aria-hidden="true" />}
          onClick={() => run(backend.call('remove_ended_shells', { session_id: sessionId }))}
        >
          {t('shells.remove')}
        </Button>
      ) : null}
      {inBackground.length > 0 ? (
        <Button
          testId="shell-kill-all"
          size="small"
          look="danger"
          icon={<OctagonX className="icon-small" aria-hidden="true" />}
          onClick={() => {
            setAsking(true);
          }}
        >
          {t('shells.killall')}
        </Button>
      ) : null}
      {asking ? (
        <KillAllDialog
          shells={inBackground}
          onClose={() => {
            setAsking(false);
          }}
        />
      ) : null}
    </header>
  );
}
