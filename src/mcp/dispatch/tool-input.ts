// The input of a tool: its schema as listed, and the parser of its arguments.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { type ArgumentLimits, argumentIssues } from './arguments.ts';
import { readArguments } from './read-arguments.ts';

/** Described once, in the server's instructions: a description in each tool would cost tokens in every session. */
const SHARED = { require_fresh: z.boolean().optional() };

const inputs = new WeakMap<AnyTool, z.ZodType>();

export function readsIndex({ index }: Pick<AnyTool, 'index'>): boolean {
  return index !== 'none';
}

/** The schema of all arguments. @throws INTERNAL for a tool that reads the index and whose input is not a plain object */
function inputOf(tool: AnyTool): z.ZodType {
  const known = inputs.get(tool);
  if (known !== undefined) return known;
  const input = readsIndex(tool) ? withShared(tool) : (tool.input as z.ZodType);
  inputs.set(tool, input);
  return input;
}

/**
 * The schema in the list of tools. Only searches list `require_fresh`, since they are used to find a note that was just written.
 * Every other tool that reads the index accepts it too, but listing it there would cost tokens.
 */
function listedInputOf(tool: AnyTool): z.ZodType {
  const isSearch = tool.input instanceof z.ZodObject && 'query' in tool.input.shape;
  return isSearch ? inputOf(tool) : tool.input;
}

function withShared({ name, input }: AnyTool): z.ZodType {
  if (input instanceof z.ZodObject) return input.safeExtend(SHARED);
  throw new VaultgraphError('INTERNAL', { kind: `${name}: input is not a strict object` });
}

export interface ParsedInput {
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

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required?: string[];
}

type Node = Record<string, unknown>;

/**
 * JSON Schema draft 2020-12 without `additionalProperties: false`, to save tokens: the server rejects unknown arguments anyway.
 * @throws INTERNAL for a tool whose input accepts unknown arguments
 */
export function inputSchemaOf(tool: AnyTool, input = listedInputOf(tool)): InputSchema {
  const schema = z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }) as Node;
  if (schema.type !== 'object' || schema.additionalProperties !== false) {
    throw new VaultgraphError('INTERNAL', { kind: `${tool.name}: input is not a strict object` });
  }
  const { $schema: _, ...rest } = trimmed(schema) as Node;
  return { ...rest, type: 'object', properties: (rest.properties ?? {}) as Record<string, object> };
}

/** All argument names in the order of declaration, unlisted ones included. */
export function argumentNamesOf(tool: AnyTool): readonly string[] {
  return Object.keys(inputSchemaOf(tool, inputOf(tool)).properties);
}

function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, child]) => !isNoise(key, child));
  return Object.fromEntries(kept.map(([key, child]) => [key, trimmedMember(key, child)]));
}

function trimmedMember(key: string, child: unknown): unknown {
  if (key === 'default') return child;
  if (key !== 'properties') return trimmed(child);
  return Object.fromEntries(Object.entries(child as Node).map(([name, schema]) => [name, trimmed(schema)]));
}

/**
 * Exact rules that a model does not need to call correctly: closed objects, string keys, obvious minimums, patterns and `false`
 * defaults. Breaking one is reported with its rule. Types stay, because some clients need them.
 */
function isNoise(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false || isEmpty(value);
  if (key === 'propertyNames') return /^\{"type":"string"(,"minLength":1)?\}$/.test(JSON.stringify(value));
  if (key === 'minLength' || key === 'minItems' || key === 'minimum') return Number(value) <= 1;
  if (key === 'pattern' || key === 'maxItems') return true;
  if (key === 'default') return value === false;
  return key === 'maximum' && Number(value) === Number.MAX_SAFE_INTEGER;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
