import { ChevronLeft, RotateCw } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { DiffScope, WorkspaceDiff as Changes } from '@/bindings';
import { Button, Empty, Failure, Loading, Segmented } from '@/components';
import { useT } from '@/i18n';
import { focusComposer } from '@/lib/focus';
import { useApp, useCurrentLink, useErrorText, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { CutNotes } from './CutNotes';
import { FileList } from './FileList';
import { FileView } from './FileView';
import { OwnerCounts } from './OwnerCounts';
import { placeKey, type Place } from './scope';
import { useFilesTouched } from './useFilesTouched';
import { useLatest } from './useLatest';
import './changes.css';

/** What changed in the folder and by whom. Nothing is computed before this is on screen. */
export default function WorkspaceDiff() {
  const t = useT();
  const { ui } = useWorkbench();
  const workspace = useApp((state) => state.workspace?.path ?? null);
  const sessionId = useCurrentLink()?.sessionId ?? null;
  const [scope, setScope] = useState<DiffScope>('head');
  const back = () => {
    ui.setState({ route: { name: 'chat' } });
    requestAnimationFrame(focusComposer);
  };
  return (
    <section
      className="wsdiff"
      data-testid={tid('wsdiff')}
      data-value={scope}
      data-region="transcript"
      aria-label={t('wsdiff.title')}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) back();
      }}
    >
      <header className="wsdiff-head">
        <Button
          testId="wsdiff-back"
          look="link"
          icon={<ChevronLeft className="icon-small" aria-hidden="true" />}
          onClick={back}
        >
          {t('wsdiff.back')}
        </Button>
        <h1 className="wsdiff-title truncate">{t('wsdiff.title')}</h1>
        <span className="confirm-space" />
        <span className="wsdiff-scope">
          <span className="wsdiff-label" aria-hidden="true">
            {t('wsdiff.scope')}
          </span>
          <Segmented
            testId="wsdiff-scope"
            label={t('wsdiff.scope')}
            value={scope}
            options={[
              { value: 'head', label: t('wsdiff.scope.head') },
              ...(sessionId === null
                ? []
                : [
                    { value: 'session' as const, label: t('wsdiff.scope.session') },
                    { value: 'turn' as const, label: t('wsdiff.scope.turn') },
                  ]),
            ]}
            onChange={setScope}
          />
        </span>
      </header>
      {workspace === null ? null : <Body place={{ workspace, sessionId, scope }} />}
    </section>
  );
}

function Body({ place }: { place: Place }) {
  const t = useT();
  const errorText = useErrorText();
  const { backend } = useWorkbench();
  const touched = useFilesTouched();
  const { value, error, loading, answers, again } = useLatest(placeKey(place), touched, () =>
    backend.call('workspace_diff', {
      workspace: place.workspace,
      session_id: place.sessionId,
      scope: place.scope,
    }),
  );
  const refresh = (
    <Button
      testId="wsdiff-refresh"
      size="small"
      aria-disabled={loading}
      icon={<RotateCw className="icon-small" aria-hidden="true" />}
      onClick={again}
    >
      {loading && value ? t('wsdiff.stale') : t('wsdiff.refresh')}
    </Button>
  );
  if (error && !value)
    return (
      <Failure title={t('wsdiff.error')} text={errorText(error)}>
        {refresh}
      </Failure>
    );
  if (!value) return <Loading text={t('wsdiff.loading')} lines={4} />;
  const { state } = value;
  if (state !== 'ok' || value.total_files === 0) {
    return (
      <div
        className="wsdiff-nothing"
        data-testid={tid('wsdiff-empty')}
        data-state={state === 'ok' ? 'empty' : state}
      >
        {state === 'ok' ? (
          <Empty title={t('wsdiff.empty')} text={t(`wsdiff.empty.${place.scope}`)}>
            {refresh}
          </Empty>
        ) : (
          <Empty title={t(`wsdiff.state.${state}`)}>{refresh}</Empty>
        )}
      </div>
    );
  }
  return <Columns place={place} changes={value} round={answers} refresh={refresh} onReverted={again} />;
}

interface ColumnsProps {
  place: Place;
  changes: Changes;
  /** Changes when the list was looked for again. */
  round: number;
  refresh: ReactNode;
  onReverted: () => void;
}

function Columns({ place, changes, round, refresh, onReverted }: ColumnsProps) {
  const t = useT();
  const [wanted, setWanted] = useState<string | null>(null);
  const chosen = changes.files.find((file) => file.path === wanted) ?? changes.files[0] ?? null;
  return (
    <div className="wsdiff-columns">
      <div className="wsdiff-side">
        <FileList files={changes.files} chosen={chosen?.path ?? null} onChoose={setWanted} />
        <footer className="wsdiff-foot">
          <p className="wsdiff-total numbers">
            <span>{t('wsdiff.total', changes.total_files)}</span>
            <OwnerCounts ai={changes.ai} you={changes.you} other={changes.other} />
          </p>
          <CutNotes notes={changes.cut} />
          {refresh}
        </footer>
      </div>
      <div className="wsdiff-main">
        {chosen ? (
          <FileView key={chosen.path} place={place} file={chosen} round={round} onReverted={onReverted} />
        ) : (
          <Empty title={t('wsdiff.choose')} />
        )}
      </div>
    </div>
  );
}
