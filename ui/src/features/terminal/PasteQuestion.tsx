import { Button } from '@/components';
import { useT } from '@/i18n';

/** Several lines at once run as several commands: the person is asked once. */
export function PasteQuestion({ text, onAnswer }: { text: string; onAnswer: (paste: boolean) => void }) {
  const t = useT();
  return (
    <div className="pty-paste" role="alert">
      <span className="pty-paste-text">{t('pty.paste', text.split('\n').length)}</span>
      <Button
        testId="pty-paste-cancel"
        size="small"
        onClick={() => {
          onAnswer(false);
        }}
      >
        {t('common.cancel')}
      </Button>
      <Button
        testId="pty-paste-confirm"
        size="small"
        onClick={() => {
          onAnswer(true);
        }}
      >
        {t('pty.paste.do')}
      </Button>
    </div>
  );
}
