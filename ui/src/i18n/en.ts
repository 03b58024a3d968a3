import { app } from './en/app';
import { changes } from './en/changes';
import { shells } from './en/shells';
import { work } from './en/work';

/** Every sentence of the window. The other catalogues must have exactly these keys. */
export const en = { ...app, ...changes, ...shells, ...work } as const;

/** The name of a sentence. */
export type TextKey = keyof typeof en;

/** What fills a sentence. */
export type TextArgs<K extends TextKey> = (typeof en)[K] extends (...args: infer A) => string ? A : [];

/** A whole catalogue: the same keys, the same arguments. */
export type Catalogue = {
  readonly [K in TextKey]: (typeof en)[K] extends (...args: infer A) => string
    ? (...args: A) => string
    : string;
};

/** The names of sentences that need nothing to be filled in. */
export type PlainKey = { [K in TextKey]: (typeof en)[K] extends string ? K : never }[TextKey];
