// Says what a schema refuses, in the words of the config and with its place.
import type { ZodType, z } from 'zod';
import type { ConfigFault } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
import type { ConfigDocument } from './config-document.ts';
import { holdsSecret, type KeyPath, keysOf, schemaAt } from './schema-shape.ts';

export interface SectionSource {
  readonly document: ConfigDocument;
  /** Of the section in the document. */
  readonly path: KeyPath;
  /** Without the keys in `taken`. */
  readonly data: unknown;
  /** Keys of the section that are read elsewhere. */
  readonly taken: readonly string[];
}

type Issue = z.core.$ZodIssue;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
  array: 'a list',
};

/** One fault per unknown key, else one per issue. */
export function issueFaults(issue: Issue, schema: ZodType, source: SectionSource): ConfigFault[] {
  if (issue.code === 'unrecognized_keys') {
    const above = issue.path as KeyPath;
    const own = above.length === 0 ? source.taken : [];
    const allowed = [...own, ...keysOf(schemaAt(schema, above))];
    return issue.keys.map((key) => unknownKey([...source.path, ...above, key], allowed, source.document));
  }
  const path = issue.path as KeyPath;
  const key = [...source.path, ...path].join('.');
  const place = source.document.placeOf([...source.path, ...path], issue.code === 'invalid_key' ? 'key' : 'value');
  const value = valueAt(source.data, path);
  if (issue.code === 'invalid_value') return [{ ...place, key, ...unknownValue(key, value, issue.values.map(String)) }];
  const shown = holdsSecret(schemaAt(schema, path)) ? 'the value given' : quoted(value);
  return [{ ...place, key, what: whatIsWrong(key, issue, value, shown) }];
}

function unknownKey(path: KeyPath, allowed: readonly string[], document: ConfigDocument): ConfigFault {
  const key = path.join('.');
  const place = document.placeOf(path, 'key');
  return { ...place, key, what: `unknown key \`${path.at(-1)}\``, allowed, ...meant(String(path.at(-1)), allowed) };
}

function unknownValue(key: string, value: unknown, allowed: readonly string[]): Omit<ConfigFault, 'file'> {
  if (value === undefined) return { what: `\`${key}\` is missing`, allowed };
  const near = typeof value === 'string' ? meant(value, allowed) : {};
  return { what: `\`${key}\` cannot be ${quoted(value)}`, allowed, ...near };
}

/** `did_you_mean`, where there is a near name at all. */
export function meant(name: string, allowed: readonly string[]): { readonly did_you_mean?: string } {
  const nearest = nearestName(name, allowed);
  return nearest === undefined ? {} : { did_you_mean: nearest };
}

function whatIsWrong(key: string, issue: Issue, value: unknown, shown: string): string {
  const name = key === '' ? 'the config' : `\`${key}\``;
  if (value === undefined) return `${name} is missing`;
  if (value === null) return `${name} is empty`;
  switch (issue.code) {
    case 'invalid_type':
      return `${name} must be ${TYPE_WORDS[issue.expected] ?? issue.expected}, not ${typeof value === 'string' ? 'the text ' : ''}${shown}`;
    case 'too_small':
      if (value === '') return `${name} is empty`;
      return `${name} must be ${bound(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin)}, not ${shown}`;
    case 'too_big':
      return `${name} must be ${bound(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin)}, not ${shown}`;
    case 'invalid_key':
      return `${name} is not valid: ${issue.issues[0]?.message ?? issue.message}`;
    default:
      return `${name} is not valid: ${issue.message}`;
  }
}

function bound(relation: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `${relation} ${limit} characters long`;
  return origin === 'array' ? `${relation} ${limit} items long` : `${relation} ${limit}`;
}

function valueAt(data: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((at, step) => (isMap(at) && Object.hasOwn(at, step) ? at[step] : undefined), data);
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const MAX_SHOWN_LENGTH = 60;

/** A single value as its reader wrote it, escaped and cut; collections only by their kind. */
function quoted(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map';
  const text = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
  return `\`${text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text}\``;
}
