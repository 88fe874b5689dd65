// The client of a model's endpoints: what each request goes through on its way, and the providers made from it.
import type { BatchResult } from '../../base/batch.ts';
import { type DetailsOf, type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { TimeLimits } from '../../contracts/capability.ts';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import { fingerprintDifferences } from '../../contracts/fingerprint.ts';
import type { LLMIdentity, LLMProvider } from '../../contracts/llm.ts';
import type { ModelProvider, ProviderCall } from '../../contracts/provider-call.ts';
import type { RerankIdentity, RerankProvider } from '../../contracts/rerank.ts';
import { createAutoPull, type Pull, type StartPull } from './auto-pull.ts';
import { type BreakerSettings, createBreaker } from './breaker.ts';
import {
  type Ask,
  createKnownModel,
  type Differences,
  Failover,
  type GuardedEndpoint,
  guardedEndpoint,
  type ModelLimits,
  refusalOf,
  type StoredIdentity,
} from './endpoints.ts';
import { callLimit, type Layer, type ProviderName, providerName, queueLayer, type Request, within } from './layers.ts';
import { type Clock, createAlarm, type RetryParts, type RetrySettings, retryLayer, SYSTEM_CLOCK } from './retry.ts';

/** A provider with its layers, its status notes and its cleanup. */
export interface Resilient<P> {
  readonly provider: P;
  /** The current state of the opt-in features. */
  notes(): readonly string[];
  /** Loads the model in the background. */
  warmUp(): void;
  close(): void;
}

/** The part that all clients of models share. */
interface Client<P, Identity> extends Omit<Resilient<P>, 'provider'> {
  readonly send: Send<P>;
  readonly shared: Pick<ModelProvider<Identity>, 'type' | 'model' | 'endpoint' | 'identify' | 'loaded' | 'warmUp'>;
}

interface Sending {
  readonly limit: number | 'bounded';
  /** Whether a success shows that the provider works. */
  readonly proves: boolean;
}

/** Sends one request through all the layers. */
type Send<P> = <T>(sending: Sending, ask: Ask<P, T>, call: ProviderCall, signal: AbortSignal) => Promise<T>;

function createClient<Identity, P extends ModelProvider<Identity>>(
  capability: ProviderName['capability'],
  { endpoints, limits, pull, settings, hooks, clock = SYSTEM_CLOCK }: ResilientParts<P, ModelLimits, Identity>,
  differences: Differences<Identity>,
): Client<P, Identity> {
  const [first, ...others] = endpoints;
  const name = providerName(capability, first);
  const alarm = createAlarm(clock);
  const answered = (): void => {
    alarm.ring();
    hooks.onAnswered();
  };
  const guard = (endpoint: P) =>
    guardedEndpoint(providerName(capability, endpoint), endpoint, limits, { ...hooks, onLoaded: answered });
  const guarded: [GuardedEndpoint<P>, ...GuardedEndpoint<P>[]] = [guard(first), ...others.map(guard)];
  const knownModel = createKnownModel(hooks.storedIdentity);
  const failover = new Failover(guarded, (at, ...rest) => refusalOf(at, knownModel, differences, ...rest), hooks.log);
  const breaker = createBreaker(settings.breaker, name, clock);
  const stallMs = inMs(limits.warmUp);
  const autoPull = createAutoPull({ pull, startPull: hooks.startPull, stallMs, onPulled: answered }, name);
  const retry = retryLayer({ settings: settings.retry, clock, alarm, onRetry: reportRetry(hooks, name) });
  const queue = queueLayer();

  const send: Send<P> = async <T>(
    { limit, proves }: Sending,
    ask: Ask<P, T>,
    call: ProviderCall,
    signal: AbortSignal,
  ) => {
    const inTime = callLimit(name, inMs(limit));
    const fused = breaker.layer(proves);
    const attempt: Request<T> = (at, ended) => failover.ask(ask, at, ended);
    // A call of a tool has one limit for all its attempts.
    const interactive = () => within(inTime, within(fused, within(retry, within(queue, attempt))));
    // A job has one for each, and none for its waits. It asks which model answers beside its request, not after it.
    const turn = (limited: Request<T>) => (proves ? within(queue, limited) : limited);
    const background = () => within(fused, within(retry, turn(within(inTime, attempt))));
    const request = call.priority === 'interactive' ? interactive() : background();
    const answer = await within(totalsLayer(clock, inMs(limit)), within(autoPull.layer, request))(call, signal);
    if (proves) answered();
    return answer;
  };

  const identify: Ask<P, Identity> = async (provider, call, signal) => {
    const identity = await provider.identify(call, signal);
    if (provider === first) knownModel.learn(identity);
    return identity;
  };
  const { type, model, endpoint } = first;
  const { loaded, load, warmUp } = guarded[0];
  return Object.freeze({
    shared: {
      type,
      model,
      endpoint,
      loaded,
      warmUp: load,
      identify: (call: ProviderCall, signal: AbortSignal) =>
        send({ limit: limits.identify, proves: false }, identify, call, signal),
    },
    send,
    notes: () => [breaker.note(), autoPull.note(), ...failover.notes()].filter((note) => note !== undefined),
    warmUp: warmUp.begin,
    close: () => {
      for (const each of guarded) each.warmUp.close();
    },
  });
}

export type EmbeddingParts = ResilientParts<EmbeddingProvider, TimeLimits<EmbeddingProvider>, EmbeddingIdentity>;

/** No request is made for it, so it proves nothing about the provider. */
const NOTHING: BatchResult<Float32Array> = Object.freeze({ succeeded: [], failed: [] });

export function resilientEmbedding(parts: EmbeddingParts): Resilient<EmbeddingProvider> {
  const { send, shared, ...rest } = createClient('embedding', parts, embeddingDifferences);
  const { batch, contextTokens, reportsTokens } = parts.endpoints[0];
  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    signal.throwIfAborted();
    if (inputs.length === 0) return NOTHING;
    const sending = { limit: parts.limits.embed, proves: true };
    return send(sending, (at, inner, stop) => at.embed(inputs, purpose, inner, stop), call, signal);
  };
  return Object.freeze({ ...rest, provider: Object.freeze({ ...shared, batch, contextTokens, reportsTokens, embed }) });
}

/** The chunker does not depend on the provider. */
function embeddingDifferences(expected: EmbeddingIdentity, actual: EmbeddingIdentity): readonly string[] {
  const chunker = '';
  return fingerprintDifferences({ ...expected, chunker }, { ...actual, chunker });
}

export type LLMParts = ResilientParts<LLMProvider, TimeLimits<LLMProvider>, LLMIdentity>;

export function resilientLLM(parts: LLMParts): Resilient<LLMProvider> {
  const { send, shared, ...rest } = createClient('llm', parts, llmDifferences);
  const [first] = parts.endpoints;
  const generate: LLMProvider['generate'] = (request, call, signal) => {
    const sending = { limit: parts.limits.generate, proves: true };
    return send(sending, (at, inner, stop) => at.generate(request, inner, stop), call, signal);
  };
  const provider = {
    ...shared,
    generate,
    get contextTokens() {
      return first.contextTokens;
    },
  };
  return Object.freeze({ ...rest, provider: Object.freeze(provider) });
}

/** Only a digest proves that the weights are the same, so an unknown digest differs from every other. */
function llmDifferences(expected: LLMIdentity, actual: LLMIdentity): readonly string[] {
  const differs = (key: keyof LLMIdentity): boolean => expected[key] === null || expected[key] !== actual[key];
  return (['provider', 'model', 'digest'] as const).filter(differs);
}

export type RerankParts = ResilientParts<RerankProvider, TimeLimits<RerankProvider>, RerankIdentity>;

export function resilientRerank(parts: RerankParts): Resilient<RerankProvider> {
  const { send, shared, ...rest } = createClient('rerank', parts, noProof);
  const { top, weight, contextTokens } = parts.endpoints[0];
  const rerank: RerankProvider['rerank'] = async (query, documents, call, signal) => {
    signal.throwIfAborted();
    if (documents.length === 0) return [];
    const sending = { limit: parts.limits.rerank, proves: true };
    return send(sending, (at, inner, stop) => at.rerank(query, documents, inner, stop), call, signal);
  };
  return Object.freeze({ ...rest, provider: Object.freeze({ ...shared, top, weight, contextTokens, rerank }) });
}

/** No server of a reranker reports a digest. */
const noProof = (): readonly string[] => ['digest'];

const inMs = (limit: number | 'bounded'): number => (limit === 'bounded' ? Number.POSITIVE_INFINITY : limit);

function reportRetry<Identity>(
  { log, count }: ResilienceHooks<Identity>,
  { provider }: ProviderName,
): RetryParts['onRetry'] {
  return ({ code }, { attempt, waitMs }) => {
    count(`retries_total{${provider},${code}}`);
    log('warn', 'provider_retry', { provider, code, attempt, wait_ms: waitMs });
  };
}

/** Reports the total of attempts and time in failures, instead of those of the last attempt. @param limitMs of the provider */
function totalsLayer(clock: Clock, limitMs: number): Layer {
  return async (request, call, signal) => {
    const began = clock.now();
    const before = call.trace.attempts;
    try {
      return await request(call, signal);
    } catch (thrown) {
      throw withTotals(thrown, call.trace.attempts - before, Math.round(clock.now() - began), limitMs);
    }
  };
}

/** A server that asks for a longer wait has a wrong clock or header. */
const MAX_BELIEVED_WAIT_MS = 24 * 60 * 60 * 1_000;

function withTotals(thrown: unknown, attempts: number, elapsed_ms: number, limitMs: number): unknown {
  if (!(thrown instanceof VaultgraphError)) return thrown;
  const { code, details, requestedWaitMs, retry }: VaultgraphError = thrown;
  if (!('attempts' in details)) return thrown;
  const isBelieved = (requestedWaitMs ?? 0) <= MAX_BELIEVED_WAIT_MS;
  if (isBelieved && details.attempts === attempts) return thrown;
  const whole = { ...details, attempts, elapsed_ms } as DetailsOf<ErrorCode>;
  const waitMs = isBelieved ? requestedWaitMs : Math.min(limitMs, MAX_BELIEVED_WAIT_MS);
  return new VaultgraphError<ErrorCode>(code, whole, {
    cause: thrown,
    retry,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

/** The events and queries of the layers to the rest of the server. */
export interface ResilienceHooks<Identity> {
  readonly log: Log;
  /** Adds one to a counter. */
  readonly count: (name: string) => void;
  /** The provider answered a request. */
  readonly onAnswered: () => void;
  /** If absent, models are never downloaded. */
  readonly startPull?: StartPull;
  /** The model that made the stored vectors, if there are any. */
  readonly storedIdentity: StoredIdentity<Identity>;
}

export interface ResilienceSettings {
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings;
}

export interface ResilientParts<P, L extends ModelLimits, Identity> {
  /** All serve the same model; the first is preferred. */
  readonly endpoints: readonly [P, ...P[]];
  readonly limits: L;
  /** Downloads the model; absent if the config does not allow it. */
  readonly pull?: Pull | undefined;
  readonly settings: ResilienceSettings;
  readonly hooks: ResilienceHooks<Identity>;
  readonly clock?: Clock;
}
