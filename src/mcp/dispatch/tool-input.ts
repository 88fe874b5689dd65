// What a tool takes in all: its own arguments, and the one that every tool which reads the index shares.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { type ArgumentLimits, argumentIssues, checkShape } from './arguments.ts';

/** Explained once, in the server's instructions, for a description at each tool would be paid for in each session. */
const SHARED = { require_fresh: z.boolean().optional() };

const inputs = new WeakMap<AnyTool, z.ZodType>();

export function readsIndex({ index }: Pick<AnyTool, 'index'>): boolean {
  return index !== 'none';
}

/** @throws INTERNAL for a tool that reads the index and whose input is no plain object */
export function inputOf(tool: AnyTool): z.ZodType {
  const known = inputs.get(tool);
  if (known !== undefined) return known;
  const input = readsIndex(tool) ? withShared(tool) : (tool.input as z.ZodType);
  inputs.set(tool, input);
  return input;
}

/**
 * What of it stands in the list of tools. The shared argument is named where something is searched for by its words, as what was
 * just written is; every other tool that reads the index takes it as well, but it would be paid for once more at each.
 */
export function listedInputOf(tool: AnyTool): z.ZodType {
  const isSearch = tool.input instanceof z.ZodObject && 'query' in tool.input.shape;
  return isSearch ? inputOf(tool) : tool.input;
}

function withShared({ name, input }: AnyTool): z.ZodType {
  if (input instanceof z.ZodObject) return input.safeExtend(SHARED);
  throw new VaultgraphError('INTERNAL', { kind: `${name}: input is no strict object` });
}

/** The tool's own part of what `inputOf` parsed, and whether the answer has to be fresh. */
export function splitInput(
  tool: AnyTool,
  parsed: unknown,
): { readonly input: unknown; readonly requireFresh: boolean } {
  if (!readsIndex(tool)) return { input: parsed, requireFresh: false };
  const { require_fresh: requireFresh = false, ...input } = parsed as z.infer<z.ZodObject<typeof SHARED>>;
  return { input, requireFresh };
}

/**
 * The parsed input; absent arguments are no arguments. Nothing is stripped: an unknown key is an issue of its own.
 * @throws INVALID_INPUT with every issue at once, LIMIT_EXCEEDED for arguments too deep, too many or too long
 */
export function parseArguments(tool: AnyTool, given: unknown, limits: ArgumentLimits): unknown {
  const value = given === undefined ? {} : given;
  const faults = checkShape(value, limits);
  if (faults.length > 0) throw refusal(tool, faults);
  const schema = inputOf(tool);
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusal(tool, argumentIssues(schema, parsed.error.issues));
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
 * Draft 2020-12, of the input side. `additionalProperties: false` is left out at every level: the server refuses unknown
 * arguments itself, and the words would cost each session some tokens a tool.
 * @throws INTERNAL for a tool whose input would let unknown arguments pass
 */
export function inputSchemaOf(tool: AnyTool, input = listedInputOf(tool)): InputSchema {
  const schema = z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }) as Node;
  if (schema.type !== 'object' || schema.additionalProperties !== false) {
    throw new VaultgraphError('INTERNAL', { kind: `${tool.name}: input is no strict object` });
  }
  const { $schema: _, ...rest } = trimmed(schema) as Node;
  return { ...rest, type: 'object', properties: (rest.properties ?? {}) as Record<string, object> };
}

/** The names a tool takes, in the order it declares them; also those that are not listed. */
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
 * What zod adds to be exact and a model does not need to call right: closed objects, string keys, least values that nobody goes
 * below, patterns, and that a switch is off. What is broken is refused by its rule. Every type stays: some clients need it.
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
