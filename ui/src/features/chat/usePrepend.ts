import { useState } from 'react';
import type { Row } from '@/state';

/** Whether this change of the rows put older ones in front: then the list keeps its place from the end. */
export function usePrepend(rows: readonly Row[]): boolean {
  const [known, setKnown] = useState({ rows, shift: false });
  if (known.rows === rows) return known.shift;
  const before = known.rows;
  const grew = rows.length > before.length;
  const shift = grew && rows[0]?.key !== before[0]?.key && rows.at(-1)?.key === before.at(-1)?.key;
  setKnown({ rows, shift });
  return shift;
}
