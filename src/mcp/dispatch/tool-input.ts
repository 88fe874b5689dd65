// What a tool takes in all: its own arguments, and the one that every tool which reads the index shares.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';

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
