// The hash FNV-1a: fast for short texts, computed number by number.

/** Signed: a hash that is an integer of 32 bits from its beginning is computed without floating point. */
export const FNV_START = 0x811c9dc5 | 0;
export const FNV_PRIME = 0x01000193;

/** The hash of what was hashed before and one more number, as a signed integer. */
export const fnvWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, FNV_PRIME);

/** Hashes the UTF-16 units of a text. */
export function fnvOf(text: string): number {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = fnvWith(hash, text.charCodeAt(at));
  return hash;
}
