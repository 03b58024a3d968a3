import { GitCompare } from 'lucide-react';
import type { Authorship, OwnedLines } from '@/bindings';
import { Button, Empty, Failure, Loading, VisibleText } from '@/components';
import { useT } from '@/i18n';
import { keyLabel } from '@/keys';
import { useErrorText, useLink, useWorkbench } from '@/state';
import { tid } from '@/testids';
import { useFilesTouched } from './useFilesTouched';
import { useLatest } from './useLatest';
import './changes.css';

/** Whose lines the files of this session hold now, in all and file by file. */
export function AuthorshipPanel() {
  const t = useT();
  const errorText = useErrorText();
  const link = useLink();
  const { backend, ui } = useWorkbench();
  const { value, error, again } = useLatest(link.sessionId, useFilesTouched(), () =>
    backend.call('authorship', { session_id: link.sessionId }),
  );
  return (
    <section className="authors" data-testid={tid('authors')} aria-label={t('authors.title')}>
      <Button
        testId="wsdiff-show"
        size="small"
        icon={<GitCompare className="icon-small" aria-hidden="true" />}
        title={keyLabel('changes')}
        onClick={() => {
          ui.setState({ route: { name: 'changes' } });
        }}
      >
        {t('wsdiff.title')}
      </Button>
      {value ? (
        <Files authorship={value} />
      ) : error ? (
        <Failure title={t('authors.error')} text={errorText(error)}>
          <Button testId="authors-again" size="small" onClick={again}>
            {t('common.again')}
          </Button>
        </Failure>
      ) : (
        <Loading lines={2} />
      )}
    </section>
  );
}

function Files({ authorship: { files, totals } }: { authorship: Authorship }) {
  const t = useT();
  if (files.length === 0) return <Empty title={t('authors.empty')} />;
  return (
    <>
      <p
        className="authors-total numbers"
        data-testid={tid('authors-total')}
        data-ai={totals.ai}
        data-human={totals.human}
      >
        <Lines lines={totals} />
      </p>
      <ul className="authors-files">
        {files.map((file) => (
          <li
            key={file.path}
            data-testid={tid('authors-file')}
            data-key={file.display_path}
            data-ai={file.lines.ai}
            data-human={file.lines.human}
          >
            <code className="wsdiff-path">
              <VisibleText text={file.display_path} />
            </code>
            <span className="authors-lines numbers">
              <Lines lines={file.lines} />
              <span className="muted">{t('authors.rest', file.lines.other, file.lines.base)}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Lines({ lines: { ai, human } }: { lines: OwnedLines }) {
  const t = useT();
  return (
    <>
      <span className="visually-hidden">{t('authors.said', ai, human)}</span>
      <span className="owner-count" data-key="ai" aria-hidden="true">
        {t('authors.ai', ai)}
      </span>
      <span className="owner-count" data-key="human" aria-hidden="true">
        {t('authors.human', human)}
      </span>
    </>
  );
}
