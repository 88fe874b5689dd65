// The JSON Schema of a tool's arguments, without what a model pays for and cannot use.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { inputOf, listedInputOf } from './tool-input.ts';

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
