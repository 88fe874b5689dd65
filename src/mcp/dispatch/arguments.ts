// Checks the arguments of a call and describes what is wrong with them.
import * as z from 'zod';
import { cut, type InputIssue, VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { plainMessage, ruleOf } from '../../contracts/schema-rules.ts';

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
  const [given, read] = (['input', 'output'] as const).map((io) =>
    keysAt(z.toJSONSchema(schema, { io, unrepresentable: 'any' }), path),
  );
  return given?.length ? given : (read ?? []);
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
  const wanted = issue.errors.flatMap((errors) => errors.map((error) => ruleOf(error).expected));
  const named = [...new Set(wanted.filter((expected) => expected !== undefined))].join(' or ');
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
export function checkShape(args: unknown, limits: ArgumentLimits): readonly InputIssue[] {
  const issues: InputIssue[] = [];
  let values = 0;
  const walk = (value: unknown, path: string, depth: number): void => {
    values += 1;
    checkLimit('the number of values in the arguments', MAX_VALUES, values);
    checkLimit('the depth of the arguments', MAX_DEPTH, depth);
    if (depth === 1 && Array.isArray(value))
      checkLimit(`the number of ${path.slice(0, 100)}`, limits.batch, value.length);
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
