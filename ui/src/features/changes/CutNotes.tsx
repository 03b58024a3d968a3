import type { CutNote } from '@/bindings';
import { useT } from '@/i18n';
import { tid } from '@/testids';

/** What was left out, with the numbers. */
export function CutNotes({ notes }: { notes: readonly CutNote[] }) {
  const t = useT();
  return notes.map((note) => (
    <p
      key={note.kind}
      className="wsdiff-cut numbers"
      data-testid={tid('wsdiff-limit-note')}
      data-key={note.kind}
      data-value={note.limit}
      data-count={note.actual}
    >
      {t(`wsdiff.cut.${note.kind}`, note.limit, note.actual)}
    </p>
  ));
}
