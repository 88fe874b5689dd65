// Builds resilient providers of models: with retries, limits and failover.
import type { BatchResult } from '../../base/batch.ts';
import type { TimeLimits } from '../../contracts/capability.ts';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import { fingerprintDifferences } from '../../contracts/fingerprint.ts';
import type { LLMIdentity, LLMProvider } from '../../contracts/llm.ts';
import type { ModelProvider, ProviderCall } from '../../contracts/provider-call.ts';
import type { RerankIdentity, RerankProvider } from '../../contracts/rerank.ts';
import { createAlarm, SYSTEM_CLOCK } from './alarm.ts';
import { type Ask, Failover } from './failover.ts';
import {
  createKnownModel,
  type Differences,
  type GuardedEndpoint,
  guardedEndpoint,
  type ModelLimits,
  refusalOf,
} from './guarded-endpoint.ts';
import { type ProviderName, providerName } from './layer.ts';
import { createSender, type ResilientParts, type Send } from './sender.ts';

/** A provider with its layers, its status notes and its cleanup. */
export interface Resilient<P> {
  readonly provider: P;
  /** The current state of the opt-in features. */
  notes(): readonly string[];
  /** Loads the model in the background. */
  warmUp(): void;
  close(): void;
}

/** The part that all resilient providers share. */
export interface Layered<P, Identity> extends Omit<Resilient<P>, 'provider'> {
  readonly send: Send<P>;
  readonly shared: Pick<ModelProvider<Identity>, 'type' | 'model' | 'endpoint' | 'identify' | 'loaded' | 'warmUp'>;
}

export function layeredProvider<Identity, P extends ModelProvider<Identity>>(
  capability: ProviderName['capability'],
  parts: ResilientParts<P, ModelLimits, Identity>,
  differences: Differences<Identity>,
): Layered<P, Identity> {
  const { endpoints, limits, hooks } = parts;
  const alarm = createAlarm(parts.clock ?? SYSTEM_CLOCK);
  const answered = (): void => {
    alarm.ring();
    hooks.onAnswered();
  };
  const guard = (endpoint: P) =>
    guardedEndpoint(providerName(capability, endpoint), endpoint, limits, { ...hooks, onLoaded: answered });
  const [first, ...others] = endpoints;
  const guarded: [GuardedEndpoint<P>, ...GuardedEndpoint<P>[]] = [guard(first), ...others.map(guard)];
  const known = createKnownModel(hooks.storedIdentity);
  const failover = new Failover(guarded, (at, ...rest) => refusalOf(at, known, differences, ...rest), hooks.log);
  const { send, notes } = createSender(guarded[0].name, parts, failover, alarm, answered);
  const identify: Ask<P, Identity> = async (provider, call, signal) => {
    const identity = await provider.identify(call, signal);
    if (provider === first) known.learn(identity);
    return identity;
  };
  const { type, model, endpoint } = first;
  const { loaded, load, warmUp } = guarded[0];
  return Object.freeze({
    shared: {
      ...{ type, model, endpoint, loaded, warmUp: load },
      identify: (call: ProviderCall, signal: AbortSignal) =>
        send({ limit: limits.identify, proves: false }, identify, call, signal),
    },
    send,
    notes: () => [...notes(), ...failover.notes()],
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
  const { send, shared, ...rest } = layeredProvider('embedding', parts, embeddingDifferences);
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
function embeddingDifferences(expected: EmbeddingIdentity, found: EmbeddingIdentity): readonly string[] {
  const chunker = '';
  return fingerprintDifferences({ ...expected, chunker }, { ...found, chunker });
}

export type LLMParts = ResilientParts<LLMProvider, TimeLimits<LLMProvider>, LLMIdentity>;

export function resilientLLM(parts: LLMParts): Resilient<LLMProvider> {
  const { send, shared, ...rest } = layeredProvider('llm', parts, llmDifferences);
  const [first] = parts.endpoints;
  const generate: LLMProvider['generate'] = (request, call, signal) => {
    const sending = { limit: parts.limits.generate, proves: true };
    return send(sending, (at, inner, stop) => at.generate(request, inner, stop), call, signal);
  };
  const provider = {
    ...{ ...shared, generate },
    get contextTokens() {
      return first.contextTokens;
    },
  };
  return Object.freeze({ ...rest, provider: Object.freeze(provider) });
}

/** Only a digest proves that the weights are the same, so an unknown digest differs from every other. */
function llmDifferences(expected: LLMIdentity, found: LLMIdentity): readonly string[] {
  const differs = (key: keyof LLMIdentity): boolean => expected[key] === null || expected[key] !== found[key];
  return (['provider', 'model', 'digest'] as const).filter(differs);
}

export type RerankParts = ResilientParts<RerankProvider, TimeLimits<RerankProvider>, RerankIdentity>;

export function resilientRerank(parts: RerankParts): Resilient<RerankProvider> {
  const { send, shared, ...rest } = layeredProvider('rerank', parts, noProof);
  const { top, contextTokens } = parts.endpoints[0];
  const rerank: RerankProvider['rerank'] = async (query, documents, call, signal) => {
    signal.throwIfAborted();
    if (documents.length === 0) return [];
    const sending = { limit: parts.limits.rerank, proves: true };
    return send(sending, (at, inner, stop) => at.rerank(query, documents, inner, stop), call, signal);
  };
  return Object.freeze({ ...rest, provider: Object.freeze({ ...shared, top, contextTokens, rerank }) });
}

/** No server of a reranker reports a digest. */
const noProof = (): readonly string[] => ['digest'];
