import { Check, Copy } from 'lucide-react';
import { IconButton } from '@/components';
import { useT } from '@/i18n';
import { useCopy } from '@/lib/useCopy';

/** Copies the text of a row. */
export function CopyButton({ text }: { text: string }) {
  const t = useT();
  const [copied, copy] = useCopy();
  return (
    <IconButton
      testId="msg-copy"
      label={copied ? t('common.copied') : t('chat.copy')}
      data-size="small"
      data-row-copy=""
      icon={
        copied ? (
          <Check className="icon-small" aria-hidden="true" />
        ) : (
          <Copy className="icon-small" aria-hidden="true" />
        )
      }
      onClick={() => {
        copy(text);
      }}
    />
  );
}
