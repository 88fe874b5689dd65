// Converts the answer of a tool to plain JSON values, or fails if JSON cannot represent it.
import { etagOf } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { PathMask } from './safe-text.ts';

/** Deeper than any answer is meant to be; a circle ends here too. */
const DEEPEST = 64;

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
export type PlainObject = { readonly [key: string]: Plain };

/** Values from notes, and what a base makes of them, keep all digits. */
const VERBATIM: ReadonlySet<string> = new Set(['properties', 'cells', 'group', 'summaries']);
/** The texts of an error, which may name folders of the machine. */
const ERROR_TEXTS: ReadonlySet<string> = new Set(['message', 'hint']);
/** Hashes of notes, of which clients get etags. */
const HASHES: ReadonlySet<string> = new Set(['etag', 'current_etag', 'if_match']);
const DIGITS = 4;

/**
 * A copy without `undefined` members. `null` is a value, such as an empty property of a note, and is kept. Fractions are measures,
 * such as scores: they keep four digits to save tokens. Lone surrogates, left by a cut through a pair, become U+FFFD.
 * @param mask for the texts of errors within the answer, such as the last one of a job
 * @throws INTERNAL for values that JSON cannot represent: they would silently become `null` or `{}`
 */
export function toPlainObject(value: object, mask: PathMask = (text) => text): PlainObject {
  const plain = toPlain(value, '', 0, mask);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) throw notPlain('', value);
  return plain as PlainObject;
}

/** @param mask undefined within values from notes */
function toPlain(value: unknown, path: string, depth: number, mask: PathMask | undefined): Plain {
  if (depth > DEEPEST) throw notPlain(path, 'too deep');
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' && Number.isFinite(value)) return mask === undefined ? value : measure(value);
  if (Array.isArray(value)) {
    return value.map((item, index) => toPlain(item ?? null, `${path}.${index}`, depth + 1, mask));
  }
  if (isRecord(value)) return toPlainMembers(value, path, depth, mask);
  throw notPlain(path, value);
}

function toPlainMembers(value: object, path: string, depth: number, mask: PathMask | undefined): PlainObject {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const masksTexts = mask !== undefined && 'code' in value && 'hint' in value;
  const plain = (key: string, member: unknown): Plain => {
    if (mask !== undefined && HASHES.has(key) && typeof member === 'string') return etagOf(member).toWellFormed();
    if (masksTexts && ERROR_TEXTS.has(key) && typeof member === 'string') return mask(member).toWellFormed();
    return toPlain(member, `${path}.${key}`, depth + 1, VERBATIM.has(key) ? undefined : mask);
  };
  return Object.fromEntries(members.map(([key, member]) => [key, plain(key, member)]));
}

/** Four significant digits, but always the whole integer part. */
function measure(value: number): number {
  if (Number.isInteger(value)) return value;
  return Math.abs(value) >= 10 ** (DIGITS - 1) ? Math.round(value) : Number(value.toPrecision(DIGITS));
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notPlain(path: string, value: unknown): VaultgraphError {
  const what = typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : String(value);
  return new VaultgraphError('INTERNAL', { kind: `answer${path}: ${what.slice(0, 40)} is not a JSON value` });
}
