import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { Ask } from '@/bindings';
import { isPlainKey, useT } from '@/i18n';
import { tid } from '@/testids';

/** What deserves a second look. */
export function Warnings({ ask }: { ask: Ask }) {
  const t = useT();
  const { warnings, confirm_reasons: reasons } = ask;
  const lines = fileLines(ask, t);
  if (warnings.length + reasons.length + lines.length === 0) return null;
  return (
    <ul className="confirm-warnings">
      {reasons.map((reason) => (
        <li key={reason} data-testid={tid('confirm-reason')} data-value={reason}>
          <CircleAlert className="icon-small" aria-hidden="true" />
          <span>{reasonText(t, reason)}</span>
        </li>
      ))}
      {warnings.map((warning) => (
        <li key={warning.code} data-testid={tid('confirm-warning')} data-value={warning.code}>
          <TriangleAlert className="icon-small" aria-hidden="true" />
          <span>{warningText(t, warning.code, warning.args)}</span>
        </li>
      ))}
      {lines.map((line) => (
        <li key={line} className="confirm-fact">
          <TriangleAlert className="icon-small" aria-hidden="true" />
          <span>{line}</span>
        </li>
      ))}
    </ul>
  );
}

type T = ReturnType<typeof useT>;

function reasonText(t: T, reason: string): string {
  const key = `reason.${reason.toUpperCase()}`;
  return isPlainKey(key) ? t(key) : t('reason.unknown', reason);
}

function warningText(t: T, code: string, args: readonly string[]): string {
  const key = `warning.${code}`;
  if (isPlainKey(key)) return args.length > 0 ? `${t(key)}: ${args.join(', ')}` : t(key);
  return t('warning.unknown', code, args.join(', '));
}

/** What the change itself says about its file. */
function fileLines(ask: Ask, t: T): string[] {
  const { preview } = ask;
  if (preview.kind !== 'edit' && preview.kind !== 'write') return [];
  const { diff } = preview;
  const known = new Set([...ask.warnings.map((warning) => warning.code), ...ask.confirm_reasons]);
  const lines: string[] = [];
  if (preview.kind === 'write' && preview.unseen_lines > 0 && !known.has('UNSEEN_LINES_REPLACED'))
    lines.push(t('confirm.unseen', preview.unseen_lines));
  if (diff.layer !== '' && diff.layer !== 'L1' && !diff.is_new) lines.push(t('confirm.layer'));
  if (diff.encoding_guessed && !known.has('ENCODING_GUESSED'))
    lines.push(t('confirm.encoding', diff.encoding));
  if (diff.eol === 'mixed') lines.push(t('confirm.eol.mixed'));
  for (const code of diff.warnings) if (!known.has(code)) lines.push(warningText(t, code, []));
  return lines;
}
