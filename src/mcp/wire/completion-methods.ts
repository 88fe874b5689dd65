// `completion/complete`: which argument is being filled in, and what it may become. Knows no argument and no template by name.
import type { AnyPrompt, Completable } from '../../contracts/prompt.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import {
  type Fault,
  INVALID_PARAMS,
  type Method,
  type Params,
  quotedName,
  type Reply,
  unknownName,
  type WireRequest,
} from './method.ts';
import { NOTE_TEMPLATE } from './note-uri.ts';
import { vaultFault } from './vault-fault.ts';

export interface CompletionParts {
  readonly prompts: ReadonlyMap<string, AnyPrompt>;
  /** Answers `completion/complete`. */
  readonly ask: Dispatch;
}

/** Somebody is typing: what takes longer comes too late. */
const LIMIT_MS = 4_000;
const NOTHING = { values: [], total: 0, hasMore: false };

export function completionMethods(parts: CompletionParts): [string, Method][] {
  return [['completion/complete', (params, request) => complete(parts, params, request)]];
}

interface Asked {
  /** Undefined for an argument that anything may stand in. */
  readonly completes: Completable | undefined;
  readonly value: string;
  /** What the arguments filled in already narrow the notes to. */
  readonly folder?: string;
}

async function complete({ prompts, ask }: CompletionParts, params: Params, request: WireRequest): Promise<Reply> {
  const asked = readParams(prompts, params);
  if ('fault' in asked) return asked;
  const { completes: kind, value, folder } = asked;
  if (kind === undefined) return { result: { completion: NOTHING } };
  const { id: requestId, client, signal } = request;
  const given = { kind, value, ...(folder && { folder }) };
  const { structured } = await ask('completion/complete', given, { requestId, client, signal, limitMs: LIMIT_MS });
  if (!structured.ok) return { fault: vaultFault(structured.error) };
  const { values, total, has_more: hasMore } = structured.data;
  return { result: { completion: { values, total, hasMore } } };
}

const invalid = (message: string, data?: object): { readonly fault: Fault } => {
  return { fault: { code: INVALID_PARAMS, message, ...(data && { data }) } };
};

function readParams(prompts: CompletionParts['prompts'], params: Params): Asked | { readonly fault: Fault } {
  const ref = objectOf(params?.ref);
  const argument = objectOf(params?.argument);
  const { name, value } = argument;
  if (typeof name !== 'string') return invalid('argument.name: must be a text');
  if (typeof value !== 'string') return invalid('argument.value: must be a text');
  const fillable = fillableIn(prompts, ref);
  if ('fault' in fillable) return fillable;
  if (!fillable.arguments.has(name)) return { fault: unknownName('argument', name, [...fillable.arguments.keys()]) };
  const found = fillable.arguments.get(name);
  const { folder } = objectOf(objectOf(params?.context).arguments);
  return { completes: found, value, ...(typeof folder === 'string' && name !== 'folder' && { folder }) };
}

type Fillable = { readonly arguments: ReadonlyMap<string, Completable | undefined> };

function fillableIn(
  prompts: CompletionParts['prompts'],
  ref: { readonly [key: string]: unknown },
): Fillable | { readonly fault: Fault } {
  if (ref.type === 'ref/resource') {
    if (ref.uri === NOTE_TEMPLATE) return { arguments: new Map([['path', 'path']]) };
    return invalid('no resource template has this uri', { available: [NOTE_TEMPLATE] });
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
