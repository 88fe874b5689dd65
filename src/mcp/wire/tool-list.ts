// The tools as a client lists them, with no word that is paid for in vain. Knows no tool by name.
import type { AnyTool } from '../../contracts/tool.ts';
import { type InputSchema, inputSchemaOf } from '../dispatch/input-schema.ts';
import { OUTPUT_SCHEMA } from '../render/output-schema.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema & { readonly [key: string]: unknown };
  readonly outputSchema?: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly destructiveHint?: false;
    readonly openWorldHint: false;
  };
}

/**
 * In the given order, the same for as long as the process lives.
 * @param outputSchemas whether each tells the shape of its answers, which a model pays for and few clients need
 */
export function toolList(tools: Iterable<AnyTool>, outputSchemas = false): ListedTool[] {
  return [...tools].map((tool) => ({
    name: tool.name,
    description: tool.summary,
    inputSchema: { ...inputSchemaOf(tool) },
    ...(outputSchemas ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: annotationsOf(tool),
  }));
}

/** Only what is not a client's default already: that a tool writes, that writing destroys, that a call may not be repeated. */
function annotationsOf({ effect }: AnyTool): ListedTool['annotations'] {
  if (effect === 'reads') return { readOnlyHint: true, openWorldHint: false };
  return { ...(effect === 'destroys' ? {} : { destructiveHint: false }), openWorldHint: false };
}
