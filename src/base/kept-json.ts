// A value as it is kept to be read later: JSON after a hash of it, so that one that is damaged, or kept as something else, is not used.
import { contentHash } from './content-hash.ts';

/** @param about what the value belongs to, such as its key */
export const packKept = (value: unknown, about: string): string => withHash(JSON.stringify(value), about);

/** Undefined if it is not as it was written. */
export function unpackKept(kept: string, about: string): unknown {
  const json = kept.slice(kept.indexOf('\n') + 1);
  return kept === withHash(json, about) ? (JSON.parse(json) as unknown) : undefined;
}

const withHash = (json: string, about: string): string =>
  `${contentHash(Buffer.from(JSON.stringify([about, json])))}\n${json}`;
