// Parses the YAML of the config with its positions, and validates its sections against their schemas.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { ZodArray, ZodObject, ZodRecord, ZodTransform, type ZodType, type z } from 'zod';
import type { ConfigFault } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import { isSecret } from '../contracts/provider.ts';
import { ruleOf } from '../contracts/schema-rules.ts';

export type Place = Pick<ConfigFault, 'file' | 'line' | 'column'>;

export interface ConfigDocument {
  /** The file as the user named it. */
  readonly file: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Fills in the secrets. */
  readonly env: Environment;
  /** The position of the key or value at `path`, or of the nearest parent key that the file has. */
  placeOf(path: KeyPath, part: 'key' | 'value'): Place;
  has(path: KeyPath): boolean;
}

/** Without a document where nothing in the file can be trusted; the faults then say why. */
export interface ReadDocument {
  readonly document: ConfigDocument | undefined;
  readonly faults: readonly ConfigFault[];
}

type Fail = (offset: number, what: string) => ConfigFault;

/** A document without a single key, for a run without a config file. */
export function emptyDocument(env: Environment): ConfigDocument {
  return { file: 'config', data: {}, env, placeOf: () => ({ file: 'config' }), has: () => false };
}

/** Parses one YAML 1.2 document whose root is a map; an empty one has no keys. Refuses anchors, tags and merge keys. */
export function parseConfigDocument(file: string, text: string, env: Environment = {}): ReadDocument {
  const lines = new LineCounter();
  const nesting = nestingFault(text);
  if (nesting !== undefined) return { document: undefined, faults: [{ file, ...nesting }] };
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const fail: Fail = (offset, what) => ({ ...placeAt(offset), what });
  const repeated = parsed.errors.every(({ code }) => code === 'DUPLICATE_KEY') ? syntaxFaults(parsed, text, fail) : [];
  // A duplicate key does not hide the faults after it: they are reported in the same run.
  if (repeated.length > 0) parsed.errors = [];
  const faults = documentFaults(parsed, text, fail);
  if (faults.length > 0) return { document: undefined, faults: [...repeated, ...faults] };
  const document: ConfigDocument = Object.freeze({
    file,
    data: (parsed.toJS() ?? {}) as Record<string, unknown>,
    env,
    placeOf: (path: KeyPath, part: 'key' | 'value') => placeAt(offsetOf(parsed.contents, path, part)),
    has: (path: KeyPath) => parsed.hasIn(path),
  });
  return { document, faults: repeated };
}

function documentFaults(parsed: Document.Parsed, text: string, fail: Fail): ConfigFault[] {
  if (parsed.errors.length > 0) return syntaxFaults(parsed, text, fail);
  const { contents, directives } = parsed;
  if (directives.yaml.explicit && directives.yaml.version !== '1.2') {
    return [fail(0, `a config is YAML 1.2, not ${directives.yaml.version}`)];
  }
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  if (!isEmpty && !isMap(contents)) return [fail(startOf(contents), 'a config is a map of keys and values')];
  return nodeFaults(parsed, fail);
}

/** One mistake in YAML causes many errors after it, so only the first few are shown. */
const MAX_SYNTAX_FAULTS = 10;
const MAX_MESSAGE_LENGTH = 200;

function syntaxFaults({ errors }: Document.Parsed, text: string, fail: Fail): ConfigFault[] {
  const more = errors.length - MAX_SYNTAX_FAULTS;
  return errors.slice(0, MAX_SYNTAX_FAULTS).map(({ code, message, pos }, index) => {
    const rest = more > 0 && index === MAX_SYNTAX_FAULTS - 1 ? ` (and ${more} more faults behind it)` : '';
    const [key = ''] = /^[^:\n]*/.exec(text.slice(pos[0])) ?? [];
    return fail(pos[0], syntaxText(code, message.slice(0, MAX_MESSAGE_LENGTH), key.trim()) + rest);
  });
}

function syntaxText(code: string, message: string, key: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a config is one YAML document, a second one begins here';
  if (code === 'DUPLICATE_KEY') return `the key \`${key}\` appears twice in the same map`;
  return `not valid YAML: ${message}`;
}

/** What YAML allows and a config has no use for: each of it hides a value from its reader. */
function nodeFaults(parsed: Document.Parsed, fail: Fail): ConfigFault[] {
  const faults: ConfigFault[] = [];
  visit(parsed, {
    Alias: (_, node) => void faults.push(fail(startOf(node), `write the value itself instead of \`*${node.source}\``)),
    Pair: (_, { key }) => {
      if (!isScalar(key) || typeof key.value !== 'string') faults.push(fail(startOf(key), 'a key must be plain text'));
      else if (key.value === '<<') faults.push(fail(startOf(key), 'merge keys (`<<`) are not read in a config'));
    },
    Node: (_, node) => {
      if (!isAlias(node) && node.tag !== undefined)
        faults.push(fail(startOf(node), `tags (\`${node.tag}\`) are not read in a config`));
    },
  });
  return faults;
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}

function offsetOf(root: unknown, path: KeyPath, part: 'key' | 'value'): number {
  let node = root;
  let keyOffset = 0;
  for (const step of path) {
    const next = stepInto(node, step);
    if (next === undefined) return keyOffset;
    [node, keyOffset] = next;
  }
  const [from, to] = (node as Node | null)?.range ?? [0, 0];
  return part === 'value' && to > from ? from : keyOffset;
}

/** The value one step further, and the offset of its key (in a list: of the value itself). */
function stepInto(node: unknown, step: string | number): [value: unknown, keyOffset: number] | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? undefined : [item, startOf(item)];
  }
  const pair = isMap(node) ? node.items.findLast(({ key }) => isScalar(key) && key.value === step) : undefined;
  return pair === undefined ? undefined : [pair.value, startOf(pair.key)];
}

/** Two hundred of each were measured to parse in milliseconds; a few thousand overflow the stack, where nothing can be caught. */
const MAX_BRACKETS = 200;
const MAX_MARKS_IN_A_LINE = 64;
const MAX_INDENT = 64;

interface NestingFault {
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

/**
 * The first line that nests too deep. Opening brackets are counted over the whole text, and closing brackets are ignored because
 * they may be in a comment or in quotes. No real config comes near the limit.
 */
function nestingFault(text: string): NestingFault | undefined {
  let brackets = 0;
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    if (line.trimStart().startsWith('#')) continue;
    brackets += countOf(/[[{]/g, line);
    const what = excess(line, brackets);
    if (what !== undefined) return { line: index + 1, column: 1, what };
  }
  return undefined;
}

function excess(line: string, brackets: number): string | undefined {
  if (brackets > MAX_BRACKETS) return `nested too deep: more than ${MAX_BRACKETS} opening brackets`;
  if (countOf(/[-?:](?=\s|$)/g, line) > MAX_MARKS_IN_A_LINE) return 'nested too deep within one line';
  const indent = line.length - line.trimStart().length;
  const isBlank = indent === line.length;
  return !isBlank && indent > MAX_INDENT ? `indented by more than ${MAX_INDENT} columns` : undefined;
}

function countOf(pattern: RegExp, line: string): number {
  return line.match(pattern)?.length ?? 0;
}

export type KeyPath = readonly (string | number)[];

/** The schema and the ones that it wraps (optional, default, pipe …), outermost first. */
function layers(schema: ZodType): ZodType[] {
  const { innerType, in: input, out } = schema.def as { innerType?: ZodType; in?: ZodType; out?: ZodType };
  // What a value becomes before it is checked has no keys.
  const inner = innerType ?? (input instanceof ZodTransform ? out : input);
  return inner === undefined ? [schema] : [schema, ...layers(inner)];
}

function childOf(schema: ZodType, step: string | number): ZodType | undefined {
  const core = layers(schema).at(-1);
  if (core instanceof ZodArray) return core.element as ZodType;
  if (core instanceof ZodRecord) return core.valueType as ZodType;
  if (core instanceof ZodObject && Object.hasOwn(core.shape, step)) return core.shape[step] as ZodType;
  return undefined;
}

/** The schema of the value at `path`; undefined if the schema has no such value. */
export function schemaAt(schema: ZodType, path: KeyPath): ZodType | undefined {
  return path.reduce<ZodType | undefined>((at, step) => (at === undefined ? undefined : childOf(at, step)), schema);
}

/** The keys of a map, in the order of the schema; empty for everything else. */
export function keysOf(schema: ZodType | undefined): string[] {
  const core = schema === undefined ? undefined : layers(schema).at(-1);
  return core instanceof ZodObject ? Object.keys(core.shape) : [];
}

export function holdsSecret(schema: ZodType | undefined): boolean {
  return schema !== undefined && layers(schema).some(isSecret);
}

/** The valid section with its defaults, or every fault in it; a section with faults has no value. */
export type SectionResult<T> =
  | { readonly value: T; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly ConfigFault[] };

export function readSection<T>(schema: ZodType<T>, section: SectionSource): SectionResult<T> {
  const source = { taken: [], ...section };
  const faults: ConfigFault[] = [];
  const data = expandSecrets(schema, source.data, source.document.env, ({ path, variable }) => {
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
export function without(data: unknown, keys: readonly string[]): unknown {
  if (!isObject(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
}

export interface SectionSource {
  readonly document: ConfigDocument;
  /** The path of the section in the document. */
  readonly path: KeyPath;
  /** Without the keys in `taken`. */
  readonly data: unknown;
  /** Keys of the section that are read elsewhere. */
  readonly taken?: readonly string[];
}

type Issue = z.core.$ZodIssue;

/** What values are called in YAML, where they are not called as in JSON. */
const YAML_NOUNS = { string: 'text', object: 'a map of keys and values', record: 'a map of keys and values' };

/** One fault per unknown key, else one per issue. */
function issueFaults(issue: Issue, schema: ZodType, source: Required<SectionSource>): ConfigFault[] {
  if (issue.code === 'unrecognized_keys') {
    const above = issue.path as KeyPath;
    const ownKeys = above.length === 0 ? source.taken : [];
    const allowed = [...ownKeys, ...keysOf(schemaAt(schema, above))];
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
