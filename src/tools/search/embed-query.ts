// Embeds a query and chooses the stored vectors to compare it with.
import { type DetailsOf, VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import type { Fingerprint } from '../../contracts/fingerprint.ts';
import type { ProviderCall, ProviderTrace } from '../../contracts/provider-call.ts';
import type { AnswerNotes, CallContext } from '../../contracts/tool.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { queryText } from '../../markdown/chunk/chunks.ts';
import { interactiveCalls, reportProvider } from './provider-call.ts';
import {
  activeVectors,
  fallbackVectors,
  mainVectors,
  type RequiredOrigin,
  reportVectors,
  requiredByProvider,
} from './vector-space.ts';

/** A cautious estimate, for models that silently read only the beginning of a text. */
const CHARACTERS_PER_TOKEN = 3;

type Sources = Granted<'store' | 'indexer' | 'embedding'>;

export interface QueryVector {
  readonly vector: Float32Array;
  readonly identity: EmbeddingIdentity;
  readonly provider: EmbeddingProvider;
  /** The traces of the provider calls, in order. */
  readonly traces: readonly ProviderTrace[];
  /** Milliseconds spent in the provider. */
  readonly providerMs: number;
  readonly generation: Generation;
  /** The current vectors, for use after `generation` was replaced. @throws as `embedQuery` */
  replacement(): Promise<Generation>;
  /** The notice for results from these vectors, if they are not the ones requested. */
  degradedBy(generation: Generation): AnswerNotes['degraded'];
}

/**
 * Uses the configured provider. If that fails with an error listed for the fallback, and all notes have fallback vectors, uses the
 * fallback; otherwise the original error is thrown.
 * @param mismatched whether vectors of another model are acceptable
 * @throws PROVIDER_*, EGRESS_BLOCKED, OVERLOADED; EMBEDDER_MISMATCH before the text is sent; INDEX_* if there are no vectors
 */
export async function embedQuery(
  text: string,
  sources: Sources,
  call: CallContext,
  mismatched = false,
): Promise<QueryVector> {
  const begin = interactiveCalls(call);
  const main = await outcomeOf(embedWithMain(text, sources, begin, call, mismatched));
  if ('value' in main) return main.value;
  const failure = main.error;
  const { fallback } = sources.embedding;
  if (fallback === undefined || !fallback.useOn.includes(failure.code)) throw failure;
  const other = await outcomeOf(embedWithFallback(text, fallback.provider, sources, begin, call));
  if ('error' in other || other.value === undefined) throw failure;
  const { model } = sources.embedding;
  const opted_in_by = 'providers.embedding.fallback';
  const degraded = { from: model, to: fallback.provider.model, reason_code: failure.code, opted_in_by };
  return { ...other.value, degradedBy: () => degraded };
}

/** The same; undefined, with a warning, for a text of which no word is known to the model: only its words can be looked for. */
export async function embedKnownQuery(...given: Parameters<typeof embedQuery>): Promise<QueryVector | undefined> {
  const outcome = await outcomeOf(embedQuery(...given));
  if ('value' in outcome) return outcome.value;
  if (!isUnknownText(outcome.error)) throw outcome.error;
  const [, { embedding }, call] = given;
  const message = `the model ${embedding.model} has no word of the query, so this answer is by words alone`;
  call.warn({ code: 'WORDS_UNKNOWN_TO_MODEL', message });
  return undefined;
}

function isUnknownText({ code, details }: VaultgraphError): boolean {
  return code === 'PROVIDER_BAD_RESPONSE' && (details as DetailsOf<typeof code>).unknown_text === true;
}

/** Adds the provider, the vectors and any degradation to the answer's metadata. */
export function reportQueryVector(text: string, query: QueryVector, generation: Generation, call: CallContext): void {
  const { provider, identity, traces } = query;
  const degraded = query.degradedBy(generation);
  reportProvider('embedding', provider, traces, call);
  reportVectors(generation, call);
  if (degraded !== undefined) call.annotate({ degraded });
  const { contextTokens } = provider;
  if (identity.truncation === 'refused' || text.length / CHARACTERS_PER_TOKEN <= contextTokens) return;
  const message = `the model reads about ${contextTokens} tokens of a text; the end of the query may not have counted`;
  call.warn({ code: 'TRUNCATED', message });
}

async function embedWithMain(
  text: string,
  sources: Sources,
  begin: () => ProviderCall,
  call: CallContext,
  mismatched: boolean,
): Promise<QueryVector> {
  const provider = sources.embedding;
  const { identity, ...identified } = await identify(provider, begin(), call.signal);
  const required = requiredByProvider(identity, provider, mismatched);
  const active = await activeVectors(required, sources, call);
  const embedded = await embed(queryText(text), identity, provider, begin(), call);
  const replacement = (): Promise<Generation> => mainVectors(required, sources, call);
  const generation = active ?? (await replacement());
  const degradedBy = ({ fingerprint }: Generation) => mismatchOf(required, fingerprint);
  return { ...withTraces(identified, embedded), identity, provider, generation, replacement, degradedBy };
}

function mismatchOf(required: RequiredOrigin, from: Fingerprint): AnswerNotes['degraded'] {
  const differs = required.tolerated(from);
  if (differs.length === 0) return undefined;
  const to = `vectors of ${from.model} (another ${differs.join(', ')})`;
  const reason = { reason_code: 'EMBEDDER_MISMATCH', opted_in_by: 'allow_mismatched_query' } as const;
  return { from: `vectors of ${required.now.model}`, to, ...reason };
}

/** Undefined if the fallback vectors are incomplete or of another model. */
async function embedWithFallback(
  text: string,
  provider: EmbeddingProvider,
  sources: Sources,
  begin: () => ProviderCall,
  call: CallContext,
): Promise<QueryVector | undefined> {
  const generations = await sources.store.generations(call.signal);
  if (!generations.some(({ role, state }) => role === 'fallback' && state === 'active')) return undefined;
  const { identity, ...identified } = await identify(provider, begin(), call.signal);
  const required = requiredByProvider(identity, provider);
  const generation = await fallbackVectors(required, sources, call);
  if (generation === undefined) return undefined;
  const embedded = await embed(queryText(text), identity, provider, begin(), call);
  const replacement = async (): Promise<Generation> => (await fallbackVectors(required, sources, call)) ?? generation;
  return {
    ...withTraces(identified, embedded),
    identity,
    provider,
    generation,
    replacement,
    degradedBy: () => undefined,
  };
}

interface TimedCall {
  readonly trace: ProviderTrace;
  readonly tookMs: number;
}

function withTraces(identified: TimedCall, { vector, ...embedded }: TimedCall & { readonly vector: Float32Array }) {
  const traces = [identified.trace, embedded.trace];
  return { vector, traces, providerMs: identified.tookMs + embedded.tookMs };
}

async function identify(
  provider: EmbeddingProvider,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<TimedCall & { readonly identity: EmbeddingIdentity }> {
  const startedAt = performance.now();
  const identity = await provider.identify(call, signal);
  return { identity, trace: call.trace, tookMs: performance.now() - startedAt };
}

/** @throws PROVIDER_BAD_RESPONSE for a vector of the wrong length */
async function embed(
  text: string,
  { dims }: EmbeddingIdentity,
  provider: EmbeddingProvider,
  started: ProviderCall,
  call: CallContext,
): Promise<TimedCall & { readonly vector: Float32Array }> {
  const startedAt = performance.now();
  const { succeeded, failed } = await provider.embed([{ id: 'query', text }], 'query', started, call.signal);
  const tookMs = performance.now() - startedAt;
  for (const { error } of failed) throw error;
  const vector = succeeded[0]?.result;
  if (vector?.length !== dims) throw wrongLength(provider, dims, vector?.length ?? 0, started.trace, tookMs);
  return { vector, trace: started.trace, tookMs };
}

function wrongLength(
  { type, model, endpoint }: EmbeddingProvider,
  dims: number,
  received: number,
  { attempts }: ProviderTrace,
  tookMs: number,
): VaultgraphError<'PROVIDER_BAD_RESPONSE'> {
  return new VaultgraphError('PROVIDER_BAD_RESPONSE', {
    capability: 'embedding',
    provider: type,
    ...(endpoint === null ? {} : { endpoint }),
    model,
    attempts,
    elapsed_ms: Math.round(tookMs),
    level: 'call',
    expected: `a vector of ${dims} numbers`,
    received: `${received}`,
  });
}
