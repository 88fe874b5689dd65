// Builds `tools/list`: descriptions, schemas, and the hints that some clients read from `_meta`.
import type { AnyTool } from '../../contracts/tool.ts';
import { type InputSchema, inputSchemaOf } from '../dispatch/tool-input.ts';
import { OUTPUT_SCHEMA } from '../render/result.ts';

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly outputSchema?: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly destructiveHint?: false;
    readonly openWorldHint: false;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ListOptions {
  /** The tools that clients which defer tools load at once. */
  readonly alwaysLoad?: readonly string[];
  /** Whether to include output schemas, which cost tokens and which few clients need. */
  readonly outputSchemas?: boolean;
}

export function toolList(
  tools: Iterable<AnyTool>,
  { alwaysLoad = [], outputSchemas = false }: ListOptions = {},
): ListedTool[] {
  const all = [...tools];
  const listed = new Set(all.map(({ name }) => name));
  return all.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: descriptionOf(tool, listed),
    inputSchema: inputSchemaOf(tool),
    ...(outputSchemas ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: annotationsOf(tool),
    _meta: metaOf(tool, isAlwaysLoaded(tool, alwaysLoad, listed)),
  }));
}

/** @param listed the names of all listed tools: a description names no other */
export function descriptionOf({ summary, others = {}, example }: AnyTool, listed: ReadonlySet<string>): string {
  const better = Object.entries(others)
    .filter(([name]) => listed.has(name))
    .map(([name, wish]) => `${name} for ${wish}`);
  return [
    summary,
    ...(better.length === 0 ? [] : [`Better: ${better.join('; ')}.`]),
    ...(example === undefined ? [] : [`Example: ${JSON.stringify(example)}`]),
  ].join(' ');
}

/** Without a model for meaning, search by words takes the place of `search`. */
function isAlwaysLoaded({ name }: AnyTool, alwaysLoad: readonly string[], listed: ReadonlySet<string>): boolean {
  const isInstead = name === 'search_text' && alwaysLoad.includes('search') && !listed.has('search');
  return isInstead || alwaysLoad.includes(name);
}

/** Claude Code cuts longer answers unless a tool says that it has them. */
const MAX_RESULT_CHARS = 500_000;

/** Keys that Claude Code reads; other clients ignore them. */
function metaOf({ words, long }: AnyTool, isAlwaysLoaded: boolean): Readonly<Record<string, unknown>> {
  return {
    ...(isAlwaysLoaded ? { 'anthropic/alwaysLoad': true } : {}),
    ...(words === undefined ? {} : { 'anthropic/searchHint': words }),
    ...(long ? { 'anthropic/maxResultSizeChars': MAX_RESULT_CHARS } : {}),
  };
}

/** Defaults are left out: that a tool writes, that a write is destructive, that a call is not idempotent. */
function annotationsOf({ effect }: AnyTool): ListedTool['annotations'] {
  if (effect === 'reads') return { readOnlyHint: true, openWorldHint: false };
  return { ...(effect === 'destroys' ? {} : { destructiveHint: false }), openWorldHint: false };
}
