// The tools as a client lists them, with no word that is paid for in vain. Knows no tool by name.
import type { AnyTool } from '../contracts/tool.ts';
import { type InputSchema, inputSchemaOf } from './input-schema.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema & { readonly [key: string]: unknown };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

/** In the given order, the same for as long as the process lives. */
export function toolList(tools: Iterable<AnyTool>): ListedTool[] {
  return [...tools].map((tool) => ({
    name: tool.name,
    description: tool.summary,
    inputSchema: { ...inputSchemaOf(tool) },
    annotations: annotationsOf(tool),
  }));
}

/** What a reader destroys or repeats has no meaning, so these hints stand on writers only. */
function annotationsOf({ name, effect }: AnyTool): ListedTool['annotations'] {
  const words = name.replaceAll('_', ' ');
  const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  const writer = { destructiveHint: effect === 'destroys', idempotentHint: false };
  return { title, readOnlyHint: effect === 'reads', ...(effect === 'reads' ? {} : writer), openWorldHint: false };
}
