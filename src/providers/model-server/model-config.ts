// The config keys that all model servers share, with their defaults and checks.
import * as z from 'zod';
import { isObject } from '../../base/plain-object.ts';
import { secret } from '../../contracts/provider.ts';
import { endpointSchema, refuseRemote } from './attempt.ts';
import { allowedDimensions } from './model-families.ts';

const EMBEDDING_TIMEOUT_MS = 30_000;
const RERANK_TIMEOUT_MS = 30_000;
const LLM_TIMEOUT_MS = 60_000;
/** Node stops waiting for an answer after 300 s, so a longer timeout would have no effect. */
const MAX_TIMEOUT_MS = 290_000;
/** With fewer tokens not even a sentence with its prefix fits. */
const MIN_EMBEDDING_CONTEXT = 64;
/** Enough for the instructions, an answer and a few sentences between them. */
const MIN_LLM_CONTEXT = 1_024;
/** Fits a note of ten pages. Most models support more, but each token takes memory whether it is used or not. */
const DEFAULT_LLM_CONTEXT = 8_192;
/** Enough for a question and a sentence. */
const MIN_RERANK_CONTEXT = 128;
/** What the usual models that rerank are trained with. */
const DEFAULT_RERANK_CONTEXT = 512;
const MAX_CONTEXT = 1_000_000;
/** Servers of rerankers usually take no more than 32 texts in one request. */
const DEFAULT_TOP = 30;
const MAX_TOP = 200;
/** Ten times the length of the largest model's vectors. */
const MAX_DIMENSIONS = 40_960;

const milliseconds = () => z.int().min(1).max(MAX_TIMEOUT_MS);

/** Headers that belong to the transport or would make the request unreadable; fetch refuses a request with one. */
const TRANSPORT_HEADERS =
  /^(?:connection|content-length|content-type|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'the name of a header')
  .refine((name) => !TRANSPORT_HEADERS.test(name), 'that header is set by the transport');

/** Checked here because fetch would quote an invalid value, which may be a key, in its error. */
const headerValue = secret().refine(
  (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  'only characters that a header may contain',
);

interface Endpoints {
  endpoint: string;
  failover?: string[] | undefined;
}
/** What `shape` makes of a section, with the endpoints of its vendor. */
type Configured<Shape extends (timeoutMs: number) => z.ZodRawShape> = z.infer<z.ZodObject<ReturnType<Shape>>> &
  Endpoints;
export type ModelServerConfig = Configured<typeof modelServerShape>;
type EmbeddingServerConfig = Configured<typeof embeddingShape>;

/** To be spread into a `strictObject`; `endpoint` and other keys are the vendor's. */
function modelServerShape(timeoutMs: number) {
  return {
    model: z.string().trim().min(1),
    timeout: milliseconds().default(timeoutMs),
    load_timeout: milliseconds().default(120_000),
    allow_remote: z.boolean().default(false),
    headers: z.record(headerName, headerValue).default({}),
  };
}

/** Other endpoints of the same model, for a vendor that can prove that it is the same. */
export const failoverKey = () => ({ failover: z.array(endpointSchema()).default([]) });

/** Returns the keys of `modelServerShape` for embeddings. */
export function embeddingShape() {
  return {
    ...modelServerShape(EMBEDDING_TIMEOUT_MS),
    dimensions: z.int().min(1).max(MAX_DIMENSIONS).optional(),
    query_prefix: z.string().optional(),
    document_prefix: z.string().optional(),
    /** Tokens. */
    context: z.int().min(MIN_EMBEDDING_CONTEXT).max(MAX_CONTEXT).optional(),
    ...failoverKey(),
  };
}

/** Returns the keys of `modelServerShape` for language models. */
export function llmShape() {
  return {
    ...modelServerShape(LLM_TIMEOUT_MS),
    /** Tokens that one request and its answer may have together. */
    context: z.int().min(MIN_LLM_CONTEXT).max(MAX_CONTEXT).default(DEFAULT_LLM_CONTEXT),
  };
}

/** Returns the keys of `modelServerShape` for rerankers; there is no model to load by itself. */
export function rerankShape() {
  const { load_timeout: _, model, ...shape } = modelServerShape(RERANK_TIMEOUT_MS);
  return {
    ...shape,
    model: model.optional(),
    /** How many hits of a list are reordered. */
    top: z.int().min(1).max(MAX_TOP).default(DEFAULT_TOP),
    /** How much the scores decide beside those of the list; by default estimated. */
    weight: z.number().min(0).max(1).optional(),
    /** Tokens of the query and one text together. */
    context: z.int().min(MIN_RERANK_CONTEXT).max(MAX_CONTEXT).default(DEFAULT_RERANK_CONTEXT),
  };
}

/** The second argument of `superRefine`: checks of several keys run even if another key is invalid. */
export const DESPITE_FAULTS = Object.freeze({
  when: ({ value }: { readonly value: unknown }): boolean => isObject(value),
});

/** Whether none of these keys is invalid, so that their values have their types. */
export function areValid(keys: readonly string[], { issues }: z.RefinementCtx): boolean {
  return !issues.some(({ path = [] }) => keys.some((key) => key === path[0]));
}

/** For `superRefine`, with `DESPITE_FAULTS`. */
export function checkModelServer(
  config: Pick<ModelServerConfig, 'endpoint' | 'failover' | 'allow_remote'>,
  context: z.RefinementCtx,
): void {
  const { endpoint, failover = [], allow_remote } = config;
  if (areValid(['endpoint', 'failover', 'allow_remote'], context))
    refuseRemote({ endpoint, failover, allow_remote }, context);
}

/** For `superRefine`, with `DESPITE_FAULTS`. */
export function checkEmbeddingServer(config: EmbeddingServerConfig, context: z.RefinementCtx): void {
  checkModelServer(config, context);
  if (areValid(['model', 'dimensions'], context)) refuseDimensions(config, context);
}

function refuseDimensions({ model, dimensions }: EmbeddingServerConfig, context: z.RefinementCtx): void {
  const allowed = dimensions === undefined ? undefined : allowedDimensions(model, dimensions);
  if (allowed === undefined) return;
  context.addIssue({ code: 'custom', path: ['dimensions'], message: `${model} has vectors of ${allowed} numbers` });
}

/** The section once for each of its endpoints, the primary one first. */
export function onePerEndpoint<C extends ModelServerConfig>(config: C): readonly C[] {
  return [config.endpoint, ...(config.failover ?? [])].map((endpoint) => ({ ...config, endpoint }));
}

// Compares the names that servers give to one model.

const FILE_ENDING = /\.(?:gguf|safetensors|bin)$/;
/** The quantization, `-Q8_0` or `.f16`, which servers may omit or add. */
const QUANTIZATION = /[-._]((?:i?q\d\w*|(?:b?f|fp)(?:16|32)|u?int[48]))$/;
/** LM Studio's prefix for embedding models. */
const KIND = /^text-embedding-/;

interface ModelName {
  readonly core: string;
  readonly tag?: string | undefined;
  readonly quantization?: string | undefined;
}

/**
 * Whether two names do not contradict each other. Folder, owner, file ending and case do not matter; tag and quantization matter
 * only if both names have one. A server that answers with another name has another model loaded.
 */
export function mayBeSameModel(one: string, other: string): boolean {
  const [left, right] = [parseName(one), parseName(other)];
  const agree = (part: 'tag' | 'quantization'): boolean =>
    left[part] === undefined || right[part] === undefined || left[part] === right[part];
  return left.core === right.core && agree('tag') && agree('quantization');
}

function parseName(name: string): ModelName {
  const [, last = ''] = /([^/\\]*)[/\\]*$/.exec(name.trim().toLowerCase()) ?? [];
  const [untagged = '', tag] = last.split(/[:@]/);
  const file = untagged.replace(FILE_ENDING, '');
  const core = file.replace(QUANTIZATION, '').replace(KIND, '');
  return { core, tag: tag === 'latest' ? undefined : tag, quantization: QUANTIZATION.exec(file)?.[1] };
}

// The config key for a bearer token, its check and its header.

/** Sent as a bearer token. */
export const apiKey = () => secret().optional();

interface Keyed {
  api_key?: string | undefined;
  headers: Record<string, string>;
}

/** Otherwise fetch would join both headers into one, or quote an invalid key in its error. */
export function checkKey({ api_key, headers }: Keyed, context: z.RefinementCtx): void {
  if (api_key === undefined) return;
  if (!/^[\x21-\x7e]+$/.test(api_key))
    context.addIssue({ code: 'custom', path: ['api_key'], message: 'only printable ASCII characters without spaces' });
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    context.addIssue({ code: 'custom', path: ['headers'], message: '`api_key` already sets `authorization`' });
}

export function headersFor({ api_key, headers }: Keyed): Readonly<Record<string, string>> {
  return api_key === undefined ? headers : { ...headers, authorization: `Bearer ${api_key}` };
}
