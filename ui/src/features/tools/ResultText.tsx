import { useState } from 'react';
import { toBackendError } from '@/backend';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useErrorText, useLink, useWorkbench } from '@/state';
import { tid } from '@/testids';

/** Results longer than this are cut until the person asks for all of it. */
const MAX_SHOWN_LINES = 400;
const MAX_SHOWN_CHARS = 64 * 1024;

/** What the model read. The row holds only the beginning; the rest is loaded when asked for. */
export function ResultText({ seq, text, chars }: { seq: number; text: string; chars: number }) {
  const t = useT();
  const { backend } = useWorkbench();
  const { sessionId } = useLink();
  const errorText = useErrorText();
  const [whole, setWhole] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [loading, setLoading] = useState(false);
  const cut = whole ?? cutText(text);
  const isCut = whole === null && (cut.length < text.length || text.length < chars);

  const load = async () => {
    setLoading(true);
    try {
      setWhole((await backend.call('load_result', { session_id: sessionId, seq })).text);
    } catch (thrown) {
      setError(errorText(toBackendError(thrown)));
    } finally {
      setLoading(false);
    }
  };
  return (
    <div>
      <p className="tool-label">{t('tool.result')}</p>
      <pre
        className="tool-text selectable"
        data-testid={tid('tool-result')}
        tabIndex={0}
        aria-label={t('tool.result')}
      >
        {cut}
      </pre>
      {isCut ? (
        <Button
          testId="tool-result-more"
          look="quiet"
          size="small"
          disabled={loading}
          onClick={() => void load()}
        >
          {t('tool.result.more', chars)}
        </Button>
      ) : null}
      {error === null ? null : <p className="tool-error">{error}</p>}
    </div>
  );
}

function cutText(text: string): string {
  return text.slice(0, MAX_SHOWN_CHARS).split('\n').slice(0, MAX_SHOWN_LINES).join('\n');
}
