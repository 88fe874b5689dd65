// Reads arguments as models send them: null for "not given", a single text for a list of texts.
import * as z from 'zod';
import type { InputIssue } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';

/**
 * Arguments that select what is written, undone or rebuilt. An empty one must not silently mean "all" or "the last one",
 * so tools that change something refuse it.
 */
const SELECTING: ReadonlySet<string> = new Set(['notes', 'change_id', 'plan_id', 'job_id', 'if_match', 'to']);

export interface NormalizedArguments {
  readonly args: unknown;
  /** The selecting arguments that are empty or null. */
  readonly issues: readonly InputIssue[];
}

/**
 * @param schema of the whole input
 * @param onlyReads whether the tool changes nothing; then an empty text or list also means "not given"
 */
export function normalizeArguments(schema: z.ZodType, args: unknown, onlyReads: boolean): NormalizedArguments {
  const written = args ?? {};
  if (!isObject(written)) return { args: written, issues: [] };
  const issues = onlyReads ? [] : emptySelections(written);
  return { args: issues.length === 0 ? normalized(schema, written, onlyReads) : written, issues };
}

function emptySelections(args: object): InputIssue[] {
  return Object.entries(args)
    .filter(([name, value]) => SELECTING.has(name) && (value === null || isEmpty(value)))
    .map(([path, value]) => ({
      path,
      rule: 'must not be empty; leave it out if it is not meant',
      received: JSON.stringify(value),
    }));
}

function normalized(schema: z.ZodType, value: unknown, onlyReads: boolean): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return normalizedList(inner, value, onlyReads);
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const expected: z.ZodType | undefined = inner.shape[name];
    if (expected === undefined) return [[name, member]];
    const notGiven = member === null || (onlyReads && isEmpty(member));
    return notGiven && isOptional(expected) ? [] : [[name, normalized(expected, member, onlyReads)]];
  });
  return Object.fromEntries(members);
}

function normalizedList(list: z.ZodArray, value: unknown, onlyReads: boolean): unknown {
  const item = list.element as z.ZodType;
  if (Array.isArray(value)) return value.map((each) => normalized(item, each, onlyReads));
  return typeof value === 'string' && takesText(item) ? [value] : value;
}

function takesText(schema: z.ZodType): boolean {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodString || inner instanceof z.ZodEnum;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrapped(schema.unwrap() as z.ZodType);
  return schema;
}

function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
}
