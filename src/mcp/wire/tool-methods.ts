// Answers `tools/list` and `tools/call`.
import { noteName } from '../../base/note.ts';
import { mediaTypeOf, type NoteUris, URIS_OF_ONE } from '../../base/note-uri.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { type InputSchema, inputSchemaOf } from '../dispatch/arguments.ts';
import type { Caller, Dispatch } from '../dispatch/dispatch.ts';
import { type Exposed, refuseUnlisted } from '../dispatch/expose.ts';
import { openProgress } from '../dispatch/progress.ts';
import { type Answer, base64Of, OUTPUT_SCHEMA } from '../render/result.ts';
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

interface ToolParts {
  readonly exposed: Exposed;
  readonly dispatch: Dispatch;
  /** Runs the internal tools. */
  readonly ask: Dispatch;
  readonly structuredContent: AnswerFormSetting;
  /** By default those of a single vault. */
  readonly uris?: NoteUris;
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
  const { exposed, dispatch, structuredContent, uris = URIS_OF_ONE } = parts;
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
  const form = answerForm(structuredContent, request, hasSchemas(parts, request));
  const result = toolResult(answer, form, request.readsLinks === true ? uris : undefined);
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

/** @param uris undefined for a client whose protocol has no links to resources */
function toolResult(
  { text, structured, isError, images = [], links = [] }: Answer,
  form: AnswerForm,
  uris: NoteUris | undefined,
): object {
  const pictures = images.map(({ type, bytes }) => ({ type: 'image', mimeType: type, data: base64Of(bytes) }));
  const files = links.map(({ path, size }) => {
    const uri = uris?.uriOf(path);
    return { type: 'resource_link', uri, name: noteName(path), mimeType: mediaTypeOf(path), size };
  });
  const shown = [...pictures, ...(uris === undefined ? [] : files)];
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

// Decides whether a client gets an answer as text, as structured content or both.

type AnswerForm = 'both' | 'text' | 'structured';
export type AnswerFormSetting = AnswerForm | 'auto';

/** These clients give the model only the JSON of the structured half, which costs more tokens than the text. */
const TEXT_ONLY = /^(?:claude[-_ ]?code|visual studio code|vs ?code|code - oss)(?![a-z\d])/i;

/**
 * By default both halves, and the text alone for clients that would otherwise pass on the JSON. A client that shows the graph app gets both,
 * because the page is drawn from the structured half, and so does one that was given output schemas, because it validates that half.
 */
export function answerForm(
  setting: AnswerFormSetting,
  { client, showsApps = false }: Pick<WireRequest, 'client' | 'showsApps'>,
  hasSchemas = false,
): AnswerForm {
  if (setting !== 'auto') return setting;
  return TEXT_ONLY.test(client.trim()) && !showsApps && !hasSchemas ? 'text' : 'both';
}

/** Their models write code that calls tools, which has to know the form of an answer. */
const RUNS_CODE = /code[-_ ]?mode|^(?:codex|goose|mcporter|opencode)(?![a-z\d])/i;

/** Whether the list of tools includes output schemas: by default for clients that run code with tools, if they get the half it is about. */
export function listsSchemas(
  setting: boolean | 'auto',
  form: AnswerFormSetting,
  { client }: Pick<WireRequest, 'client'>,
): boolean {
  if (setting !== 'auto') return setting;
  return form !== 'text' && RUNS_CODE.test(client.trim());
}

/** Whether the client is offered the graph app. */
export function offersApp(setting: AnswerFormSetting, request: Pick<WireRequest, 'client' | 'showsApps'>): boolean {
  return request.showsApps === true && answerForm(setting, request) !== 'text';
}
