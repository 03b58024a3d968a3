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

/** The reasons of the backend that say the same as a layer, in the words of the card. */
const REASON_OF_LAYER: Readonly<Record<string, string>> = {
  L6: 'INDENTATION',
  L7: 'DOUBLE_ESCAPING',
  L8: 'BOUNDARY_LINES',
  X1: 'WHITE_SPACE',
  X2: 'DRIFTED_CONTEXT',
};

/** What the change itself says about its file. */
function fileLines(ask: Ask, t: T): string[] {
  const { preview } = ask;
  if (preview.kind !== 'edit' && preview.kind !== 'write') return [];
  const { diff } = preview;
  const reasons = ask.confirm_reasons.map((reason) => reason.toUpperCase());
  const known = new Set([...ask.warnings.map((warning) => warning.code), ...reasons]);
  const saysUnseen = known.has('UNSEEN_LINES_REPLACED') || known.has('UNSEEN_LINES');
  const lines: string[] = [];
  if (preview.kind === 'write' && preview.unseen_lines > 0 && !saysUnseen)
    lines.push(t('confirm.unseen', preview.unseen_lines));
  const layer = `layer.${diff.layer}`;
  if (isPlainKey(layer) && !known.has(REASON_OF_LAYER[diff.layer] ?? '')) lines.push(t(layer));
  if (diff.encoding_guessed && !known.has('ENCODING_GUESSED'))
    lines.push(t('confirm.encoding', diff.encoding));
  if (diff.eol === 'mixed') lines.push(t('confirm.eol.mixed'));
  for (const code of diff.warnings) if (!known.has(code)) lines.push(warningText(t, code, []));
  return lines;
}
