import { SquareArrowOutUpRight } from 'lucide-react';
import { Button } from '@/components';
import { useT } from '@/i18n';
import { useRun, useWorkbench } from '@/state';

/** Hands a file to the program that the system has for it. */
export function OpenFile({ path }: { path: string }) {
  const t = useT();
  const run = useRun();
  const { backend } = useWorkbench();
  return (
    <Button
      testId="open-file"
      size="small"
      icon={<SquareArrowOutUpRight className="icon-small" aria-hidden="true" />}
      onClick={() => void run(backend.call('open_file', { path }))}
    >
      {t('changes.open')}
    </Button>
  );
}
