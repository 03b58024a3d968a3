import type { JsonValue } from '@/bindings';
import { useT } from '@/i18n';
import { tid } from '@/testids';

/** The arguments of a call, as JSON. */
export function Arguments({ args }: { args: JsonValue }) {
  const t = useT();
  return (
    <div>
      <p className="tool-label">{t('tool.args')}</p>
      <pre
        className="tool-text selectable"
        data-testid={tid('tool-args')}
        tabIndex={0}
        aria-label={t('tool.args')}
      >
        {JSON.stringify(args, null, 2)}
      </pre>
    </div>
  );
}
