// The input of a tool: its schema as listed, the parser of its arguments, and what is said of wrong ones.
import * as z from 'zod';
import { cut, type InputIssue, VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { isObject } from '../../base/plain-object.ts';
import { plainMessage, ruleOf } from '../../contracts/schema-rules.ts';
import { type AnyTool, LISTED_AS } from '../../contracts/tool.ts';

/**
 * Arguments that select what is written, undone or rebuilt. An empty one must not silently mean "all" or "the last one",
 * so tools that change something refuse it.
 */
const SELECTING: ReadonlySet<string> = new Set(['notes', 'change_id', 'plan_id', 'job_id', 'if_match', 'to']);

interface ReadArguments {
  readonly args: unknown;
  /** What is wrong whatever the schema says: invalid text and keys, selecting arguments that are empty, lists that are not JSON. */
  readonly issues: readonly InputIssue[];
}

/**
 * @param schema of the whole input
 * @param onlyReads whether the tool changes nothing; then an empty text or list also means "not given"
 * @throws LIMIT_EXCEEDED for arguments too deep, too many or too long
 */
export function readArguments(
  schema: z.ZodType,
  written: unknown,
  onlyReads: boolean,
  limits: ArgumentLimits,
): ReadArguments {
  const input = written ?? {};
  const faults = checkShape(input, limits);
  if (faults.length > 0) return { args: input, issues: faults };
  const reading = new Reading(onlyReads);
  const args = reading.read(schema, input, '');
  // What a JSON text contains is held to the same limits as what is sent as it is.
  const hidden = reading.hasJson ? checkShape(args, limits) : [];
  const empty = onlyReads || !isObject(input) ? [] : emptySelections(input, args);
  return { args, issues: [...hidden, ...reading.issues, ...empty] };
}

function emptySelections(input: object, args: unknown): InputIssue[] {
  const fields = isObject(args) ? args : {};
  return Object.entries(input)
    .filter(([name, value]) => SELECTING.has(name) && (value === null || isEmpty(value) || isEmpty(fields[name])))
    .map(([path, value]) => ({
      path,
      rule: 'must not be empty; leave it out if it is not meant',
      received: JSON.stringify(value),
    }));
}

/** Reads each value as its schema expects it. A value that does not fit is left for the schema to refuse. */
class Reading {
  readonly issues: InputIssue[] = [];
  hasJson = false;
  readonly #onlyReads: boolean;

  constructor(onlyReads: boolean) {
    this.#onlyReads = onlyReads;
  }

  read(schema: z.ZodType, value: unknown, path: string): unknown {
    const inner = unwrapped(schema);
    if (inner instanceof z.ZodArray) return this.#list(inner, value, path);
    if (inner instanceof z.ZodObject) return this.#object(inner, this.#parsed(value, isObject), path);
    if (inner instanceof z.ZodRecord) return this.#record(inner, this.#parsed(value, isObject), path);
    if (inner instanceof z.ZodUnion) return this.#union(inner, value, path);
    if (inner instanceof z.ZodNumber) return this.#parsed(value, (parsed) => typeof parsed === 'number');
    if (inner instanceof z.ZodBoolean) return booleanIn(value);
    return value;
  }

  /** The value of a JSON text, if it is of the expected kind; otherwise the value as it is. */
  #parsed(value: unknown, isExpected: (parsed: unknown) => boolean): unknown {
    const parsed = typeof value === 'string' ? jsonIn(value) : undefined;
    if (parsed === undefined || !isExpected(parsed)) return value;
    this.hasJson = true;
    return parsed;
  }

  #list(list: z.ZodArray, value: unknown, path: string): unknown {
    const item = list.element as z.ZodType;
    const items = this.#parsed(value, (parsed) => Array.isArray(parsed) && isListOf(item, parsed));
    if (Array.isArray(items)) return items.map((each, at) => this.read(item, each, inside(path, at)));
    if (typeof value === 'string' && looksLikeList(value.trim())) {
      const rule = 'looks like a list in text that is not JSON; send a list';
      this.issues.push({ path, rule, received: value.slice(0, MAX_SHOWN) });
    }
    const single = this.read(item, value, path);
    const isItem = takesText(item) ? typeof single === 'string' : isObject(single);
    return isItem ? [single] : value;
  }

  #object(object: z.ZodObject, value: unknown, path: string): unknown {
    if (!isObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const expected: z.ZodType | undefined = Object.hasOwn(object.shape, name) ? object.shape[name] : undefined;
      if (expected === undefined) return [[name, member]];
      const memberValue = this.read(expected, member, inside(path, name));
      const notGiven = member === null || (this.#onlyReads && (isEmpty(member) || isEmpty(memberValue)));
      return notGiven && isOptional(expected) ? [] : [[name, memberValue]];
    });
    return Object.fromEntries(members);
  }

  /** Members of any type are values to write or to compare, so they stay as they are. */
  #record(record: z.ZodRecord, value: unknown, path: string): unknown {
    const member = record.valueType as z.ZodType;
    if (!isObject(value) || member instanceof z.ZodUnknown) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.read(member, each, inside(path, name))]),
    );
  }

  /** The first form that fits: text stays text if the form of a text comes first. A free object that may be a list, too, is never its item. */
  #union(union: z.ZodUnion, value: unknown, path: string): unknown {
    const forms = union.options as readonly z.ZodType[];
    const free = forms.find((form) => unwrapped(form) instanceof z.ZodRecord);
    const parsedValue = free ? this.#parsed(value, (parsed) => typeof parsed === 'object') : value;
    if (free && isObject(parsedValue)) return this.read(free, parsedValue, path);
    for (const form of forms) {
      const formValue = this.read(form, parsedValue, path);
      if (form.safeParse(formValue).success) return formValue;
    }
    return parsedValue;
  }
}

const inside = (path: string, key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);

const MAX_SHOWN = 80;
const BRACKETS = [
  ['[', ']'],
  ['{', '}'],
] as const;
const QUOTES = /["'“”‘’]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Undefined for text that is not a whole JSON list, object or number. */
function jsonIn(written: string): unknown {
  const text = written.trim();
  const isWhole = BRACKETS.some(([opening, closing]) => text.startsWith(opening) && text.endsWith(closing));
  if (!isWhole) return NUMBER.test(text) ? Number(text) : undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A list as other languages write it, or JSON with a mistake. A name in brackets, such as `[draft] x`, has no quotes there. */
function looksLikeList(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  const items = text.slice(1, -1).trim().replace(/,$/, '').trimEnd();
  return QUOTES.test(items.slice(0, 1)) && QUOTES.test(items.slice(-1));
}

function booleanIn(value: unknown): unknown {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'true' || (word === 'false' ? false : value);
}

/** A name can be `[1]`, so a list of texts has one at least; which item is wrong is for the schema to say. */
function isListOf(item: z.ZodType, parsed: readonly unknown[]): boolean {
  return !takesText(item) || parsed.length === 0 || parsed.some((each) => typeof each === 'string' || isObject(each));
}

function takesText(schema: z.ZodType): boolean {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodString || inner instanceof z.ZodEnum;
}

/** What the schema expects below defaults and the like; of two steps the one that says more. */
function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrapped(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodPipe)) return schema;
  const { in: first, out: second } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
  return unwrapped(second instanceof z.ZodTransform ? first : second);
}

function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
}

type Issue = z.core.$ZodIssue;

/** A received value is shown only far enough to recognise it. */
const MAX_RECEIVED_LENGTH = 80;
const MAX_PATH_LENGTH = 120;
/** Further issues are shown once these are fixed. */
const MAX_ISSUES = 10;

/** One entry per issue in the order of the schema; beyond the tenth they are only counted. */
export function argumentIssues(schema: z.ZodType, issues: readonly Issue[]): readonly InputIssue[] {
  const all = issues.flatMap((issue) => describe(schema, issue, []));
  const shown = all.slice(0, MAX_ISSUES).map((issue) => ({ ...issue, path: cut(issue.path, MAX_PATH_LENGTH) }));
  const left = all.length - shown.length;
  return left === 0 ? shown : [...shown, { path: '', rule: `and ${left} more` }];
}

function describe(schema: z.ZodType, issue: Issue, above: readonly PropertyKey[]): InputIssue[] {
  const path = [...above, ...issue.path];
  if (isMissing(issue)) return [{ path: path.join('.'), rule: 'is missing', ...membersAt(schema, path.slice(0, -1)) }];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(schema, path, key));
  if (issue.code === 'invalid_union') return describeUnion(schema, issue, path);
  return [{ path: path.join('.'), ...ruleOf(issue), ...receivedOf(issue) }];
}

function isMissing({ code, input }: Issue): boolean {
  return input === undefined && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union');
}

/** Suggests the most similar key of the object at `path`. */
function unknownKey(schema: z.ZodType, path: readonly PropertyKey[], key: string): InputIssue {
  const keys = memberNames(schema, path);
  return {
    path: [...path, key].join('.'),
    rule: 'unknown argument',
    ...membersAt(schema, path),
    ...didYouMean(key, keys),
  };
}

/** What an object within the arguments accepts. */
function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): Pick<InputIssue, 'accepted'> {
  const accepted = path.length === 0 ? [] : [...new Set(memberNames(schema, path))];
  return accepted.length === 0 ? {} : { accepted };
}

/** Schemas of the SDK have members that JSON Schema cannot describe. */
function memberNames(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  // What is read from a text as well has its members on the side of the output alone.
  const [inputKeys, outputKeys] = (['input', 'output'] as const).map((io) =>
    keysAt(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), path),
  );
  return inputKeys?.length ? inputKeys : (outputKeys ?? []);
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
}

function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as SchemaNode;
  const branches = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  if (branches.length > 0) return branches.flatMap((branch) => keysAt(branch, path));
  const [next, ...rest] = path;
  if (next === undefined) return Object.keys(node.properties ?? {});
  return keysAt(node.properties?.[String(next)] ?? node.items ?? node.additionalProperties, rest);
}

/** Describes the variant that matches best, which fails deepest; if none does, names all variants. */
function describeUnion(
  schema: z.ZodType,
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: readonly PropertyKey[],
): InputIssue[] {
  const deepest = issue.errors.find((errors) => errors.some((error) => error.path.length > 0 || isForm(error)));
  if (deepest !== undefined) return deepest.flatMap((error) => describe(schema, error, path));
  const types = issue.errors.flatMap((errors) => errors.map((error) => ruleOf(error).expected));
  const named = [...new Set(types.filter((expected) => expected !== undefined))].join(' or ');
  const rule = named === '' ? plainMessage(issue) : `must be ${named}`;
  return [{ path: path.join('.'), rule, ...(named === '' ? {} : { expected: named }), ...receivedOf(issue) }];
}

/** The type is right and only the format is wrong, so this is the intended variant. */
function isForm(issue: Issue): boolean {
  return issue.code !== 'invalid_type' && issue.code !== 'invalid_value' && issue.code !== 'invalid_union';
}

function receivedOf({ input }: Issue): Pick<InputIssue, 'received'> {
  if (input === undefined) return {};
  const text = JSON.stringify(input) ?? typeof input;
  return { received: cut(text, MAX_RECEIVED_LENGTH) };
}

/** The deepest input of a tool has four levels; a schema walks recursively, so depth ends here. */
const MAX_DEPTH = 32;
const MAX_VALUES = 100_000;
/** Each is a part of one statement of SQL, whose depth and length are limited by the store. */
const MAX_CONDITIONS = 100;
/** Keys that would change an object's prototype when copied carelessly. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface ArgumentLimits {
  /** Items of a list that is an argument itself. */
  readonly batch: number;
  /** Characters of one text. */
  readonly text: number;
}

/**
 * The invalid texts and keys in document order, at most ten.
 * @throws LIMIT_EXCEEDED
 */
function checkShape(args: unknown, limits: ArgumentLimits): readonly InputIssue[] {
  const issues: InputIssue[] = [];
  let values = 0;
  const walk = (value: unknown, path: string, depth: number): void => {
    values += 1;
    checkLimit('the number of values in the arguments', MAX_VALUES, values);
    checkLimit('the depth of the arguments', MAX_DEPTH, depth);
    // Properties to write can be a list or a map; the conditions of a filter have a limit of their own.
    if (depth === 1 && typeof value === 'object' && value !== null && path !== 'where')
      checkLimit(`the number of ${path.slice(0, 100)}`, limits.batch, Object.keys(value).length);
    if (path === 'where' || path === 'filter.where')
      checkLimit(`the number of conditions in ${path}`, MAX_CONDITIONS, conditionsIn(value), 'filter');
    if (typeof value === 'string') issues.push(...textFaults(value, path, limits));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      if (PROTOTYPE_KEYS.has(key)) issues.push({ path: at, rule: 'is not an allowed argument name' });
      else issues.push(...textFaults(key, path, limits));
      walk(child, at, depth + 1);
    }
  };
  walk(args, '', 0);
  return issues.slice(0, 10);
}

/** Counts the properties of a filter, the operators of each property included. */
function conditionsIn(where: unknown): number {
  if (typeof where !== 'object' || where === null) return 0;
  if (Array.isArray(where)) return where.length;
  return Object.values(where).reduce((sum: number, value: unknown) => {
    return sum + (typeof value === 'object' && value !== null ? Math.max(1, Object.keys(value).length) : 1);
  }, 0);
}

function textFaults(text: string, path: string, limits: ArgumentLimits): InputIssue[] {
  checkLimit(
    path === '' ? 'the length of an argument name' : `the length of ${path.slice(0, 100)}`,
    limits.text,
    text.length,
  );
  if (text.includes('\0')) return [{ path, rule: 'contains a NUL character' }];
  if (!text.isWellFormed()) return [{ path, rule: 'contains half of a surrogate pair, so it is not Unicode text' }];
  return [];
}

function checkLimit(field: string, limit: number, actual: number, of?: 'filter'): void {
  if (actual > limit) throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit, actual, ...(of && { of }) });
}

/** Taken by every tool that reads the index. */
const SHARED = { require_fresh: z.boolean().optional().describe('check the vault first') };

const inputs = new WeakMap<AnyTool, z.ZodType>();

export function readsIndex({ index }: Pick<AnyTool, 'index'>): boolean {
  return index !== 'none';
}

/** The schema of all arguments. @throws INTERNAL for a tool that reads the index and whose input is not a plain object */
function inputOf(tool: AnyTool): z.ZodType {
  const cached = inputs.get(tool);
  if (cached !== undefined) return cached;
  const input = readsIndex(tool) ? withShared(tool) : (tool.input as z.ZodType);
  inputs.set(tool, input);
  return input;
}

function withShared({ name, input }: AnyTool): z.ZodType {
  if (input instanceof z.ZodObject) return input.safeExtend(SHARED);
  throw new VaultgraphError('INTERNAL', { kind: `${name}: input is not a strict object` });
}

interface ParsedInput {
  /** The tool's own arguments. */
  readonly input: unknown;
  /** All arguments as they are read, before the schema fills in defaults. */
  readonly args: unknown;
  /** Whether the answer must be fresh. */
  readonly requireFresh: boolean;
}

/**
 * Absent arguments and null are no arguments. An unknown key is an issue of its own and is not stripped.
 * @throws INVALID_INPUT with every issue at once; LIMIT_EXCEEDED for arguments too deep, too many or too long
 */
export function parseInput(tool: AnyTool, written: unknown, limits: ArgumentLimits): ParsedInput {
  const schema = inputOf(tool);
  const { args, issues } = readArguments(schema, written, tool.effect === 'reads', limits);
  if (issues.length > 0) throw refusal(tool, issues);
  const parsed = schema.safeParse(args, { reportInput: true });
  if (!parsed.success) throw refusal(tool, argumentIssues(schema, parsed.error.issues));
  if (!readsIndex(tool)) return { input: parsed.data, args, requireFresh: false };
  const { require_fresh: requireFresh = false, ...input } = parsed.data as z.infer<z.ZodObject<typeof SHARED>>;
  return { input, args, requireFresh };
}

function refusal(tool: AnyTool, issues: ReturnType<typeof argumentIssues>): VaultgraphError {
  return new VaultgraphError('INVALID_INPUT', { tool: tool.name, issues, accepted: argumentNamesOf(tool) });
}

export interface InputSchema extends ListedSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ListedSchema>>;
}

/**
 * The schema in the list of tools. Only searches list `require_fresh`, since they are used to find a note that was just written.
 * Every other tool that reads the index accepts it too, but listing it there would cost tokens in every session.
 */
function listedInputOf(tool: AnyTool): z.ZodType {
  const isSearch = tool.input instanceof z.ZodObject && 'query' in tool.input.shape;
  return isSearch ? inputOf(tool) : tool.input;
}

/** @throws INTERNAL for a tool whose input accepts unknown arguments, or has no form that every client accepts */
export function inputSchemaOf(tool: AnyTool): InputSchema {
  const schema = listedSchema(listedInputOf(tool));
  if (schema?.type !== 'object' || schema.properties === undefined)
    throw new VaultgraphError('INTERNAL', { kind: `${tool.name}: input has no strict schema to list` });
  return schema as InputSchema;
}

/** All argument names in the order of declaration, unlisted ones included. */
export function argumentNamesOf(tool: AnyTool): readonly string[] {
  return Object.keys((inputOf(tool) as z.ZodObject).shape);
}

export interface ListedSchema {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly items?: ListedSchema;
  readonly properties?: Readonly<Record<string, ListedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * JSON Schema 2020-12 with the keywords that every known model API accepts: each schema has one type, and limits and defaults are
 * in descriptions. Members are always in the same order, so that prompts stay cached. A schema without a type, or a free object
 * that `listedAs` does not replace, has no such form and is undefined.
 */
function listedSchema(input: z.ZodType): ListedSchema | undefined {
  return listed(z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }) as Node);
}

function listed({ [LISTED_AS]: instead, ...written }: Node): ListedSchema | undefined {
  const node: Node = instead === undefined ? written : { ...(instead as Node), description: written.description };
  const { type, items, properties, required, additionalProperties } = node;
  const item = items === undefined ? undefined : listed(items as Node);
  const members = properties === undefined ? undefined : membersOf(properties as Readonly<Record<string, Node>>);
  const isOpen = type === 'object' && (members === undefined || additionalProperties !== false);
  if (typeof type !== 'string' || isOpen || (type === 'array' && item === undefined)) return undefined;
  const description = descriptionOf(node);
  return {
    type,
    ...(description === '' ? {} : { description }),
    ...(Array.isArray(node.enum) ? { enum: node.enum } : {}),
    ...(item === undefined ? {} : { items: item }),
    ...(members === undefined ? {} : { properties: members }),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...(members === undefined ? {} : { additionalProperties: false }),
  };
}

function membersOf(properties: Readonly<Record<string, Node>>): Record<string, ListedSchema> | undefined {
  const members = Object.entries(properties).map(([name, member]) => [name, listed(member)] as const);
  if (members.some(([, member]) => member === undefined)) return undefined;
  return Object.fromEntries(members) as Record<string, ListedSchema>;
}

/** The description with the limits and the default after it: some model APIs refuse the keywords for them. */
function descriptionOf(node: Node): string {
  const facts = [limitsOf(node), defaultOf(node)].filter((fact) => fact !== '').join(', ');
  const description = typeof node.description === 'string' ? node.description : '';
  if (facts === '') return description;
  return description === '' ? facts : `${description} (${facts})`;
}

function limitsOf({ type, minimum, maximum, maxLength }: Node): string {
  if (type === 'string') return maxLength === undefined ? '' : `at most ${maxLength} characters`;
  if (typeof maximum !== 'number' || maximum === Number.MAX_SAFE_INTEGER) return '';
  return typeof minimum === 'number' ? `${minimum}-${maximum}` : `at most ${maximum}`;
}

function defaultOf({ default: value }: Node): string {
  if (value === undefined || value === false) return '';
  return `default ${Array.isArray(value) ? value.join(', ') : value}`;
}
