// Reads arguments as models send them: null for "not given", a single item for a list, JSON text for a list, an object, a number or a boolean.
import * as z from 'zod';
import type { InputIssue } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';
import { type ArgumentLimits, checkShape } from './arguments.ts';

/**
 * Arguments that select what is written, undone or rebuilt. An empty one must not silently mean "all" or "the last one",
 * so tools that change something refuse it.
 */
const SELECTING: ReadonlySet<string> = new Set(['notes', 'change_id', 'plan_id', 'job_id', 'if_match', 'to']);

export interface ReadArguments {
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
  const given = written ?? {};
  const faults = checkShape(given, limits);
  if (faults.length > 0) return { args: given, issues: faults };
  const reading = new Reading(onlyReads);
  const args = reading.read(schema, given, '');
  // What a JSON text contains is held to the same limits as what is sent as it is.
  const hidden = reading.hasJson ? checkShape(args, limits) : [];
  const empty = onlyReads || !isObject(given) ? [] : emptySelections(given, args);
  return { args, issues: [...hidden, ...reading.issues, ...empty] };
}

function emptySelections(given: object, args: unknown): InputIssue[] {
  const read = isObject(args) ? args : {};
  return Object.entries(given)
    .filter(([name, value]) => SELECTING.has(name) && (value === null || isEmpty(value) || isEmpty(read[name])))
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
      const read = this.read(expected, member, inside(path, name));
      const notGiven = member === null || (this.#onlyReads && (isEmpty(member) || isEmpty(read)));
      return notGiven && isOptional(expected) ? [] : [[name, read]];
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
    const given = free ? this.#parsed(value, (parsed) => typeof parsed === 'object') : value;
    if (free && isObject(given)) return this.read(free, given, path);
    for (const form of forms) {
      const read = this.read(form, given, path);
      if (form.safeParse(read).success) return read;
    }
    return given;
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
