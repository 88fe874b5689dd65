// Checks one section of the config against its schema.
import type { ZodType, z } from 'zod';
import type { ConfigFault } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import { ruleOf } from '../contracts/schema-rules.ts';
import { type ConfigDocument, holdsSecret, type KeyPath, keysOf, schemaAt } from './config-document.ts';

/** The valid section with its defaults, or every fault in it; a section with faults has no value. */
export type SectionResult<T> =
  | { readonly value: T; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly ConfigFault[] };

export function readSection<T>(schema: ZodType<T>, source: SectionSource, env: Environment): SectionResult<T> {
  const faults: ConfigFault[] = [];
  const data = expandSecrets(schema, source.data, env, ({ path, variable }) => {
    const whole = [...source.path, ...path];
    const key = whole.join('.');
    const what = `\`${key}\` needs the environment variable \`${variable}\`, which is not set`;
    faults.push({ ...source.document.placeOf(whole, 'value'), key, what });
  });
  const parsed = schema.safeParse(data, { jitless: true });
  if (!parsed.success) faults.push(...parsed.error.issues.flatMap((issue) => issueFaults(issue, schema, source)));
  return parsed.success && faults.length === 0 ? { value: parsed.data, faults: [] } : { value: undefined, faults };
}

/** A map without some of its keys; any other value is returned as it is, for its schema to reject. */
export function without(data: unknown, taken: readonly string[]): unknown {
  if (!isObject(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !taken.includes(key)));
}

export interface SectionSource {
  readonly document: ConfigDocument;
  /** The path of the section in the document. */
  readonly path: KeyPath;
  /** Without the keys in `taken`. */
  readonly data: unknown;
  /** Keys of the section that are read elsewhere. */
  readonly taken: readonly string[];
}

type Issue = z.core.$ZodIssue;

/** What values are called in YAML, where they are not called as in JSON. */
const YAML_NOUNS = { string: 'text', object: 'a map of keys and values', record: 'a map of keys and values' };

/** One fault per unknown key, else one per issue. */
function issueFaults(issue: Issue, schema: ZodType, source: SectionSource): ConfigFault[] {
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
  return {
    ...place,
    key,
    what: `unknown key \`${path.at(-1)}\``,
    allowed,
    ...didYouMean(String(path.at(-1)), allowed),
  };
}

function unknownValue(key: string, value: unknown, allowed: readonly string[]): Omit<ConfigFault, 'file'> {
  if (value === undefined) return { what: `\`${key}\` is missing`, allowed };
  const near = typeof value === 'string' ? didYouMean(value, allowed) : {};
  return { what: `\`${key}\` cannot be ${quoted(value)}`, allowed, ...near };
}

function whatIsWrong(key: string, issue: Issue, value: unknown, shown: string): string {
  const name = key === '' ? 'the config' : `\`${key}\``;
  if (value === undefined) return `${name} is missing`;
  if (value === null) return `${name} is empty`;
  if (issue.code === 'invalid_key') return `${name} is not valid: ${issue.issues[0]?.message ?? issue.message}`;
  const { rule, expected } = ruleOf(issue, YAML_NOUNS);
  if (expected === undefined) return `${name} is not valid: ${issue.message}`;
  if (issue.code === 'too_small' && rule === 'must not be empty') return `${name} is empty`;
  const text = issue.code === 'invalid_type' && typeof value === 'string' ? 'the text ' : '';
  return `${name} ${rule}, not ${text}${shown}`;
}

/** Undefined if the path does not exist. */
export function valueAt(data: unknown, path: KeyPath): unknown {
  const isThere = (at: unknown, step: string | number): at is Readonly<Record<string | number, unknown>> =>
    typeof at === 'object' && at !== null && Object.hasOwn(at, step);
  return path.reduce<unknown>((at, step) => (isThere(at, step) ? at[step] : undefined), data);
}

const MAX_SHOWN_LENGTH = 60;

/** A single value as its reader wrote it, escaped and cut; collections only by their kind. */
function quoted(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a map';
  const text = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
  return `\`${text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text}\``;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface SecretFault {
  readonly path: KeyPath;
  /** The environment variable that is not set. */
  readonly variable: string;
}

/** The value with every variable of its secrets filled in; `refuse` hears of each that is not set. */
function expandSecrets(
  schema: ZodType,
  value: unknown,
  env: Environment,
  refuse: (fault: SecretFault) => void,
  path: KeyPath = [],
): unknown {
  const inner = (child: unknown, step: string | number) => expandSecrets(schema, child, env, refuse, [...path, step]);
  if (Array.isArray(value)) return value.map(inner);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inner(child, key)]));
  if (typeof value !== 'string' || !holdsSecret(schemaAt(schema, path))) return value;
  return value.replace(/\$\{([^}]*)\}/g, (placeholder, name: string) => {
    if (env[name]) return env[name];
    refuse({ path, variable: name });
    return placeholder;
  });
}
