// Embeds texts with an OpenAI-compatible server, with one attempt for each call.
import type { BatchResult } from '../../base/batch.ts';
import { VaultgraphError } from '../../base/errors.ts';
import {
  type EmbeddingIdentity,
  type EmbeddingInput,
  type EmbeddingProvider,
  type EmbeddingPurpose,
  SAMPLE_SENTENCES,
} from '../../contracts/embedding.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { type Attempt, beginAttempt, type ModelServer, reportTokens } from '../model-server/attempt.ts';
import { checkVectors } from '../model-server/check-vectors.ts';
import { badResponse, isAboutOneInput } from '../model-server/failures.ts';
import { checkTexts, embeddingFacts, type ModelTraits, prefixed } from '../model-server/model-families.ts';
import { mayBeSameModel } from '../model-server/model-name.ts';
import { longSample, type RequestVectors, type SilentCuts } from '../model-server/silent-cuts.ts';
import { type EmbeddingAnswer, requestVectors } from './openai-client.ts';

const SAMPLES: readonly EmbeddingInput[] = Object.freeze(SAMPLE_SENTENCES.map((text) => ({ id: text, text })));

export function createOpenaiEmbedding(
  server: ModelServer,
  traits: ModelTraits,
  dimensions: number | undefined,
  cuts: SilentCuts,
): EmbeddingProvider {
  const { model } = server;
  const { queryPrefix, documentPrefix, contextTokens } = traits;
  /** The vectors' length in the latest `identify`: no server reports it. */
  let dims: number | undefined;

  async function vectorsFor(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    expectedDims: number | undefined,
    attempt: Attempt,
  ): Promise<BatchResult<Float32Array>> {
    const texts = inputs.map((input) => prefixed(input, purpose, traits));
    const request: RequestVectors = async (some, ids) => {
      const answer = await requestVectors(some, dimensions, attempt);
      checkModelName(answer, model);
      const vectors = checkVectors(
        inOrder(answer, some.length, attempt),
        { ids, dimensions, dims: expectedDims },
        attempt,
      );
      return { vectors, tokens: answer.usage?.prompt_tokens };
    };
    const ids = inputs.map(({ id }) => id);
    const embedded = await cuts.embed(texts, ids, request, attempt);
    reportTokens(embedded.tokens, attempt);
    if (inputs === SAMPLES) cuts.learn(texts, embedded.tokens);
    return embedded.vectors;
  }

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const attempt = beginAttempt(server, signal, call);
    const { succeeded, failed } = await vectorsFor(SAMPLES, 'document', undefined, attempt);
    if (failed.length > 0) throw badResponse('usable vectors of plain sentences', 'unusable ones', attempt);
    const samples = succeeded.map(({ result }) => result);
    dims = samples[0]?.length ?? 0;
    const weights = { digest: null, samples, dims, truncation: 'silent' } as const;
    return { provider: server.provider, model, queryPrefix, documentPrefix, ...weights };
  }

  async function embed(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<BatchResult<Float32Array>> {
    signal.throwIfAborted();
    if (inputs.length === 0) return { succeeded: [], failed: [] };
    checkTexts(inputs);
    const texts = inputs.map(({ text }) => text);
    return vectorsFor(inputs, purpose, dims, beginAttempt(server, signal, call, texts));
  }

  async function loaded(signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted();
  }

  /** These servers load a model only with a request. A long text shows whether they cut it. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    await vectorsFor(SAMPLES.slice(0, 1), 'document', undefined, beginAttempt(server, signal));
    const long = [{ id: 'long', text: longSample(contextTokens) }];
    const [outcome] = await Promise.allSettled([vectorsFor(long, 'document', undefined, beginAttempt(server, signal))]);
    if (outcome.status === 'rejected' && !isAboutOneInput(outcome.reason)) throw outcome.reason;
  }

  return Object.freeze({ ...embeddingFacts(server, contextTokens), identify, embed, loaded, warmUp });
}

/** Some servers answer with whatever model they have loaded. An answer without a model name is accepted. @throws EMBEDDER_MISMATCH */
function checkModelName({ model: answered }: EmbeddingAnswer, model: string): void {
  if (!answered || mayBeSameModel(answered, model)) return;
  throw new VaultgraphError('EMBEDDER_MISMATCH', {
    index: { model },
    provider: { model: answered },
    differs: ['model'],
  });
}

/** Sorts the vectors by `index`, the position of their texts. @throws PROVIDER_BAD_RESPONSE */
function inOrder({ data }: EmbeddingAnswer, count: number, attempt: Attempt): unknown[] {
  const places = new Map(data.map(({ index, embedding }) => [index, embedding]));
  if (data.length !== count) throw badResponse(`${count} vectors`, `${data.length}`, attempt);
  if (places.size !== count || Math.max(...places.keys()) !== count - 1)
    throw badResponse(`each index from 0 to ${count - 1} once`, 'others', attempt);
  return Array.from({ length: count }, (_each, at) => places.get(at));
}
