import { BLANKS, SPECIAL, specialLabel } from '@/lib/special';
import './visible.css';

interface Piece {
  kind: 'text' | 'special' | 'tab' | 'blank';
  text: string;
}

/** Text in which nothing is hidden: invisible characters are drawn as boxes, tabs and trailing blanks are marked. */
export function VisibleText({ text }: { text: string }) {
  return (
    <bdi className="visible-text">
      {split(text).map((piece, at) =>
        piece.kind === 'text' ? (
          piece.text
        ) : piece.kind === 'special' ? (
          // The character itself stays, so that a copy is exact; it cannot act outside of its box.
          <span key={at} className="special-char" data-label={specialLabel(piece.text)}>
            <bdi className="special-real">{piece.text}</bdi>
          </span>
        ) : (
          <span key={at} className={`blank-${piece.kind}`}>
            {piece.text}
          </span>
        ),
      )}
    </bdi>
  );
}

function split(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const blanks = new RegExp(BLANKS.source, 'gm');
  const found = [...text.matchAll(SPECIAL), ...text.matchAll(blanks)].sort((a, b) => a.index - b.index);
  for (const match of found) {
    if (match.index < at) continue;
    if (match.index > at) pieces.push({ kind: 'text', text: text.slice(at, match.index) });
    const kind = match[0].startsWith('\t') ? 'tab' : match[0].startsWith(' ') ? 'blank' : 'special';
    pieces.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) });
  return pieces;
}
