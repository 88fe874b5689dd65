// The JSON Schema of a tool's arguments, without what a model pays for and cannot use. Knows no tool by name.
import * as z from 'zod';
import { VaultgraphError } from '../base/errors.ts';
import type { AnyTool } from '../contracts/tool.ts';

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
export function inputSchemaOf(tool: AnyTool): InputSchema {
  const schema = z.toJSONSchema(tool.input, { target: 'draft-2020-12', io: 'input' }) as Node;
  if (schema.type !== 'object' || schema.additionalProperties !== false) {
    throw new VaultgraphError('INTERNAL', { kind: `${tool.name}: input is no strict object` });
  }
  const { $schema: _, ...rest } = trimmed(schema) as Node;
  return { ...rest, type: 'object', properties: (rest.properties ?? {}) as Record<string, object> };
}

/** The names a tool takes, in the order it declares them. */
export function argumentNamesOf(tool: AnyTool): readonly string[] {
  return Object.keys(inputSchemaOf(tool).properties);
}

function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, child]) => !isNoise(key, child));
  return Object.fromEntries(kept.map(([key, child]) => [key, key === 'default' ? child : trimmed(child)]));
}

/** What zod adds to be exact and no reader needs: closed objects, string keys, the range of safe integers. */
function isNoise(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false || isEmpty(value);
  if (key === 'propertyNames') return JSON.stringify(value) === '{"type":"string"}';
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
