// Lists the fields of full-text search with their weights, in the order in which the text index numbers them.
import type { TextField } from '../contracts/text-query.ts';
export const FIELDS: readonly TextField[] = ['title', 'aliases', 'headings', 'tags', 'properties', 'body'];

/** How much one occurrence counts. The weights are multiples of a half, so that sums are exact in any order. */
export const WEIGHTS = Float64Array.of(15, 12, 3, 5, 0.5, 1);

export const TITLE = FIELDS.indexOf('title');
export const HEADINGS = FIELDS.indexOf('headings');
export const BODY = FIELDS.indexOf('body');

/** Fields as a set of bits. */
export function fieldBits(...fields: readonly TextField[]): number {
  return fields.reduce((bits, field) => bits | (1 << FIELDS.indexOf(field)), 0);
}

export function fieldsOf(bits: number): TextField[] {
  return FIELDS.filter((_, field) => (bits & (1 << field)) !== 0);
}
