import { en, type Catalogue } from './en';

/** English letters with accents, so that a text that does not come from the catalogue is seen at once. */
const ACCENTED: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  y: 'ý',
  A: 'Á',
  E: 'É',
  I: 'Í',
  O: 'Ó',
  U: 'Ú',
  c: 'ç',
  n: 'ñ',
  s: 'š',
};

/** Other languages are longer than English by about this much. */
const GROWTH = 0.4;

function pseudo(text: string): string {
  const accented = text.replace(/[a-zA-Z]/g, (letter) => ACCENTED[letter] ?? letter);
  return `[${accented}${'~'.repeat(Math.ceil(text.length * GROWTH))}]`;
}

/** The catalogue of `en-XA`, for tests only: accents, brackets, and forty percent longer. */
export function pseudoCatalogue(): Catalogue {
  const entries = Object.entries(en).map(([key, value]) => [
    key,
    typeof value === 'string'
      ? pseudo(value)
      : (...args: never[]) => pseudo((value as (...a: never[]) => string)(...args)),
  ]);
  return Object.fromEntries(entries) as Catalogue;
}
