import { History } from 'lucide-react';
import { Button, Menu, MenuHeading, MenuItem } from '@/components';
import { useT } from '@/i18n';
import { useLink, useSession, useWorkbench } from '@/state';

/** Messages offered; older ones have the button in their row. */
const MAX_OFFERED = 12;

/** The first words of a message name it. */
const MAX_NAME_CHARS = 60;

/** The latest messages of the person, each a place to go back to. */
export function RewindMenu() {
  const t = useT();
  const { ui } = useWorkbench();
  const link = useLink();
  const busy = useSession((session) => session.phase.phase !== 'idle' || session.readOnly !== null, true);
  const newest = useSession(
    (session) => session.order.findLast((seq) => session.items[seq]?.body.kind === 'user') ?? null,
    null,
  );
  if (newest === null) return null;
  const view = link.store.getState();
  const session = view.status === 'ready' ? view.session : null;
  const messages = (session?.order ?? [])
    .flatMap((seq) => {
      const item = session?.items[seq];
      if (item?.body.kind !== 'user' || item.excluded || item.body.text === '') return [];
      return [{ seq, text: item.body.text }];
    })
    .slice(-MAX_OFFERED)
    .reverse();
  return (
    <Menu
      trigger={
        <Button
          testId="session-rewind"
          size="small"
          disabled={busy}
          title={busy ? t('rewind.busy') : t('rewind.menu.title')}
          icon={<History className="icon-small" aria-hidden="true" />}
        >
          {t('rewind.menu')}
        </Button>
      }
    >
      <MenuHeading>{t('rewind.menu.title')}</MenuHeading>
      {messages.map(({ seq, text }) => (
        <MenuItem
          key={seq}
          testId="session-rewind-item"
          data={{ 'data-key': String(seq) }}
          label={<span className="truncate">{firstWords(text)}</span>}
          onSelect={() => {
            ui.setState({ rewindTo: seq });
          }}
        />
      ))}
    </Menu>
  );
}

function firstWords(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > MAX_NAME_CHARS ? `${line.slice(0, MAX_NAME_CHARS)}…` : line;
}
