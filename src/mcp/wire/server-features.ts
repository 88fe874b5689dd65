// Combines the methods of all server features, and announces their capabilities.
import type { Log } from '../../base/log.ts';
import { type NoteUris, URIS_OF_ONE } from '../../base/note-uri.ts';
import type { AnyPrompt, Completable } from '../../contracts/prompt.ts';
import type { NoteSigns } from '../../contracts/store.ts';
import type { ArgumentLimits } from '../dispatch/arguments.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Exposed } from '../dispatch/expose.ts';
import type { PathMask } from '../render/safe-text.ts';
import {
  type Fault,
  INVALID_PARAMS,
  type Method,
  type Methods,
  type Notify,
  type Params,
  quotedName,
  type Reply,
  type ServerFeatures,
  unknownName,
  vaultFault,
  type WireRequest,
} from './method.ts';
import { promptMethods } from './prompt-methods.ts';
import { LIST_CHANGES, resourceMethods } from './resource-methods.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { type AnswerFormSetting, toolMethods } from './tool-methods.ts';

export interface FeatureParts {
  readonly exposed: Exposed;
  readonly prompts: ReadonlyMap<string, AnyPrompt>;
  /** Calls a listed tool. */
  readonly dispatch: Dispatch;
  /** Runs the internal tools behind the other protocol methods. */
  readonly ask: Dispatch;
  readonly noteSigns: NoteSigns;
  /** By default those of a single vault. */
  readonly uris?: NoteUris;
  /** The names of the vaults that offer `list_changes`; by default that of a single vault. */
  readonly changing?: readonly string[];
  readonly structuredContent: AnswerFormSetting;
  readonly outputSchemas?: boolean | 'auto';
  readonly alwaysLoad?: readonly string[];
  readonly callLimitMs: number;
  readonly argumentLimits: ArgumentLimits;
  readonly mask: PathMask;
  readonly log: Log;
}

export function createServerFeatures(parts: FeatureParts): ServerFeatures {
  const { exposed, prompts, dispatch, ask, noteSigns, callLimitMs: limitMs, argumentLimits, mask, log } = parts;
  const { uris = URIS_OF_ONE, structuredContent, changing = [''] } = parts;
  const open = new Set<Subscriptions>();
  const tools = new Set(exposed.tools.keys());
  const listed = tools.has(LIST_CHANGES) ? changing : [];
  const methods = (notify: Notify, ended?: AbortSignal): Methods => {
    const report = (uri: string): boolean => notify('notifications/resources/updated', { uri });
    const subscriptions = createSubscriptions(noteSigns, report, log);
    open.add(subscriptions);
    ended?.addEventListener('abort', () => {
      subscriptions.close();
      open.delete(subscriptions);
    });
    return new Map([
      ...toolMethods(parts),
      ...resourceMethods({ ask, dispatch, subscriptions, uris, changing: listed, structuredContent, mask, log }),
      ...(prompts.size === 0 ? [] : promptMethods({ prompts, tools, dispatch, limitMs, argumentLimits, mask, log })),
      ...completionMethods({ prompts, ask, uris }),
    ]);
  };
  return Object.freeze({
    // No `listChanged`: tools and prompts are fixed, and clients list notes again when they need them.
    capabilities: {
      tools: {},
      resources: { subscribe: true },
      ...(prompts.size === 0 ? {} : { prompts: {} }),
      completions: {},
    },
    methods,
    promptNames: [...prompts.keys()],
    counts: { tools: tools.size, prompts: prompts.size },
    close: () => {
      for (const subscriptions of open) subscriptions.close();
    },
  });
}

interface CompletionParts {
  readonly prompts: ReadonlyMap<string, AnyPrompt>;
  /** Answers `completion/complete`. */
  readonly ask: Dispatch;
  readonly uris: NoteUris;
}

/** The user is typing, so a later answer is of no use. */
const LIMIT_MS = 4_000;
const NOTHING = { values: [], total: 0, hasMore: false };

function completionMethods(parts: CompletionParts): [string, Method][] {
  return [['completion/complete', (params, request) => complete(parts, params, request)]];
}

interface CompletionRequest {
  /** Undefined for an argument without completions. */
  readonly completes: Completable | undefined;
  readonly value: string;
  /** Narrows the notes, if this argument is filled in already. */
  readonly folder?: string;
  /** The vault, likewise. */
  readonly vault?: string;
}

async function complete(parts: CompletionParts, params: Params, request: WireRequest): Promise<Reply> {
  const requested = readParams(parts, params);
  if ('fault' in requested) return requested;
  const { completes: kind, value, folder, vault } = requested;
  if (kind === undefined) return { result: { completion: NOTHING } };
  const { id: requestId, client, signal } = request;
  const input = { kind, value, ...(folder && { folder }), ...(vault && { vault }) };
  const { structured } = await parts.ask('completion/complete', input, {
    requestId,
    client,
    signal,
    limitMs: LIMIT_MS,
  });
  if (!structured.ok) return { fault: vaultFault(structured.error) };
  const { values, total, has_more: hasMore } = structured.data;
  return { result: { completion: { values, total, hasMore } } };
}

const invalid = (message: string, data?: object): { readonly fault: Fault } => {
  return { fault: { code: INVALID_PARAMS, message, ...(data && { data }) } };
};

function readParams(parts: CompletionParts, params: Params): CompletionRequest | { readonly fault: Fault } {
  const ref = objectOf(params?.ref);
  const argument = objectOf(params?.argument);
  const { name, value } = argument;
  if (typeof name !== 'string') return invalid('argument.name: must be a string');
  if (typeof value !== 'string') return invalid('argument.value: must be a string');
  const fillable = fillableIn(parts, ref);
  if ('fault' in fillable) return fillable;
  if (!fillable.arguments.has(name)) return { fault: unknownName('argument', name, [...fillable.arguments.keys()]) };
  const completable = fillable.arguments.get(name);
  const { folder, vault } = objectOf(objectOf(params?.context).arguments);
  return {
    completes: completable,
    value,
    ...(typeof folder === 'string' && name !== 'folder' && { folder }),
    ...(typeof vault === 'string' && fillable.arguments.has('vault') && { vault }),
  };
}

type Fillable = { readonly arguments: ReadonlyMap<string, Completable | undefined> };

function fillableIn(
  { prompts, uris }: CompletionParts,
  ref: { readonly [key: string]: unknown },
): Fillable | { readonly fault: Fault } {
  if (ref.type === 'ref/resource') {
    if (ref.uri === uris.template) return { arguments: new Map(uris.variables.map((name) => [name, name])) };
    return invalid('no resource template has this uri', { available: [uris.template] });
  }
  if (ref.type !== 'ref/prompt') return invalid('ref.type: must be ref/prompt or ref/resource');
  const name = typeof ref.name === 'string' ? ref.name : '';
  const prompt = prompts.get(name);
  if (prompt === undefined) return invalid(`no prompt ${quotedName(name)}`, { available: [...prompts.keys()] });
  return { arguments: new Map(prompt.arguments.map(({ name, completes }) => [name, completes])) };
}

function objectOf(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {};
}
