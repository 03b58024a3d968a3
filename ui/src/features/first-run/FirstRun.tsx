import { useState } from 'react';
import { Button } from '@/components';
import { useT, type PlainKey } from '@/i18n';
import { useRun, useWorkbench } from '@/state';
import { tid, type TestId } from '@/testids';
import { LanguageStep } from './LanguageStep';
import { ProjectStep } from './ProjectStep';
import { ProviderStep, useProviderStep } from './ProviderStep';
import './first-run.css';

const STEPS = [
  { name: 'language', testId: 'first-step-language', title: 'first.step.language' },
  { name: 'provider', testId: 'first-step-provider', title: 'first.step.provider' },
  { name: 'project', testId: 'first-step-project', title: 'first.step.project' },
] as const satisfies readonly { name: string; testId: TestId; title: PlainKey }[];

/** The first start: language, model, project. Each step can be skipped; nothing is sent anywhere by itself. */
export function FirstRun() {
  const t = useT();
  const run = useRun();
  const workbench = useWorkbench();
  const [at, setAt] = useState(0);
  const provider = useProviderStep();
  const step = STEPS[at] ?? STEPS[0];
  const finish = async () => {
    await workbench.app.finishFirstRun();
    const { workspace, list } = workbench.app.store.getState();
    if (!workspace) return;
    const newest = list.sessions.find((row) => row.workspace === workspace.path);
    if (newest) workbench.openSession(newest.session_id);
    else await workbench.createSession();
  };
  const next = async () => {
    if (step.name === 'provider') await provider.keep();
    if (at < STEPS.length - 1) setAt(at + 1);
    else await finish();
  };
  return (
    <main className="first-run" data-testid={tid('first-run')} data-value={step.name}>
      <div className="first-card">
        <p className="first-brand">{t('app.name')}</p>
        <ol className="first-steps" aria-label={t('first.steps')}>
          {STEPS.map(({ name, title }, number) => (
            <li
              key={name}
              data-state={number === at ? 'current' : number < at ? 'done' : 'later'}
              aria-current={number === at ? 'step' : undefined}
            >
              <span className="first-number numbers" aria-hidden="true">
                {number + 1}
              </span>
              {t(title)}
            </li>
          ))}
        </ol>
        <section className="first-step" data-testid={step.testId} aria-labelledby="first-title">
          <h1 id="first-title" className="first-title">
            {at === 0 ? t('first.title') : t(step.title)}
          </h1>
          {step.name === 'language' ? <LanguageStep /> : null}
          {step.name === 'provider' ? <ProviderStep model={provider} /> : null}
          {step.name === 'project' ? (
            <ProjectStep
              onOpened={() => {
                void run(finish());
              }}
            />
          ) : null}
        </section>
        <footer className="first-footer">
          <Button
            testId="first-skip"
            look="quiet"
            onClick={() => {
              if (at < STEPS.length - 1) setAt(at + 1);
              else void run(finish());
            }}
          >
            {t('first.skip')}
          </Button>
          <span className="first-space" />
          {at > 0 ? (
            <Button
              testId="first-back"
              size="large"
              onClick={() => {
                setAt(at - 1);
              }}
            >
              {t('first.back')}
            </Button>
          ) : null}
          {step.name === 'project' ? null : (
            <Button
              testId="first-next"
              look="primary"
              size="large"
              disabled={step.name === 'provider' && !provider.canKeep}
              onClick={() => run(next())}
            >
              {t('first.next')}
            </Button>
          )}
        </footer>
      </div>
      <p className="first-note">{t('first.nothing')}</p>
    </main>
  );
}
