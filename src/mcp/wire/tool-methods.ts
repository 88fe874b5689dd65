// Answers `tools/list` and `tools/call`.

import type { AnyTool } from '../../contracts/tool.ts';
import type { Caller, Dispatch } from '../dispatch/dispatch.ts';
import { type Exposed, refuseUnlisted } from '../dispatch/expose.ts';
import { openProgress } from '../dispatch/progress.ts';
import { type InputSchema, inputSchemaOf } from '../dispatch/tool-input.ts';
import { type Answer, base64Of, OUTPUT_SCHEMA } from '../render/result.ts';
import { type AnswerForm, type AnswerFormSetting, answerForm, listsSchemas, offersApp } from './answer-form.ts';
import { DRAWN_META, drawnMeta, isDrawn } from './graph-app.ts';
import {
  type Fault,
  INVALID_PARAMS,
  type Method,
  type Params,
  type Reply,
  refusedCursor,
  type WireRequest,
} from './method.ts';

export interface ToolParts {
  readonly exposed: Exposed;
  readonly dispatch: Dispatch;
  /** Runs the internal tools. */
  readonly ask: Dispatch;
  readonly structuredContent: AnswerFormSetting;
  /** Whether the list includes output schemas; `auto` for clients that run code with tools. */
  readonly outputSchemas?: boolean | 'auto';
  /** The tools that clients which defer tools load at once. */
  readonly alwaysLoad?: readonly string[];
}

export function toolMethods(parts: ToolParts): [string, Method][] {
  const lists = new Map<boolean, { readonly tools: readonly ListedTool[] }>();
  const listFor = (outputSchemas: boolean) => {
    const { exposed, alwaysLoad = [] } = parts;
    const list = lists.get(outputSchemas) ?? { tools: toolList(exposed.tools.values(), { alwaysLoad, outputSchemas }) };
    lists.set(outputSchemas, list);
    return list;
  };
  const listTools: Method = async (params, request) => {
    const fault = refusedCursor(params);
    if (fault !== undefined) return { fault };
    const list = listFor(hasSchemas(parts, request));
    return { result: offersPage(parts, request) ? { tools: list.tools.map(withPage) } : list };
  };
  return [
    ['tools/list', listTools],
    ['tools/call', (params, request) => callTool(parts, params, request)],
  ];
}

async function callTool(parts: ToolParts, params: Params, request: WireRequest): Promise<Reply> {
  const { exposed, dispatch, structuredContent } = parts;
  const name = params?.name;
  const fault = unlistedFault(exposed, name);
  if (typeof name !== 'string' || fault !== undefined) return { fault: fault as Fault };
  const { id: requestId, client, session, signal, ask, onChange } = request;
  const progress = request.progress === undefined ? undefined : openProgress(name, request.progress);
  const caller: Caller = {
    requestId,
    client,
    signal,
    ...(session !== undefined && { session }),
    ...(progress && { progress: progress.report }),
    ...(ask && { ask }),
  };
  const answer = await dispatch(name, params?.arguments, caller).finally(progress?.close);
  const changeId = changeIdIn(answer);
  if (changeId !== undefined) onChange?.(name, changeId);
  const result = toolResult(answer, answerForm(structuredContent, request, hasSchemas(parts, request)));
  const _meta = offersPage(parts, request) ? await drawnMeta(name, answer, parts.ask, request) : undefined;
  return { result: _meta === undefined ? result : { ...result, _meta } };
}

const hasSchemas = ({ outputSchemas = 'auto', structuredContent }: ToolParts, request: WireRequest): boolean =>
  listsSchemas(outputSchemas, structuredContent, request);

const offersPage = ({ structuredContent }: ToolParts, request: WireRequest): boolean =>
  offersApp(structuredContent, request);

function withPage(tool: ListedTool): ListedTool {
  return isDrawn(tool.name) ? { ...tool, _meta: { ...tool._meta, ...DRAWN_META } } : tool;
}

/** Undefined if the call changed nothing in the vault. */
function changeIdIn({ structured }: Answer): string | undefined {
  const { change_id: id } = structured.ok ? (structured.data as { readonly change_id?: unknown }) : {};
  return typeof id === 'string' ? id : undefined;
}

/** Undefined for a listed tool; otherwise an error that lists the available ones. */
function unlistedFault(exposed: Exposed, name: unknown): Fault | undefined {
  if (typeof name !== 'string') {
    const available = [...exposed.tools.keys()];
    return { code: INVALID_PARAMS, message: 'tools/call needs the name of a tool', data: { available } };
  }
  return exposed.tools.has(name) ? undefined : { code: INVALID_PARAMS, ...refuseUnlisted(exposed, name) };
}

function toolResult({ text, structured, isError, images = [] }: Answer, form: AnswerForm): object {
  const shown = images.map(({ type, bytes }) => ({ type: 'image', mimeType: type, data: base64Of(bytes) }));
  const content = form === 'structured' ? shown : [{ type: 'text', text }, ...shown];
  return form === 'text' ? { content, isError } : { content, structuredContent: { ...structured }, isError };
}

interface ListedTool {
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

interface ListOptions {
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
function descriptionOf({ summary, others = {}, example }: AnyTool, listed: ReadonlySet<string>): string {
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
