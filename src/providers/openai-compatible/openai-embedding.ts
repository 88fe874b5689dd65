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
import { type Attempt, beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { checkVectors } from '../model-server/check-vectors.ts';
import { badResponse } from '../model-server/failures.ts';
import { checkTexts, type ModelTraits, prefixed } from '../model-server/model-families.ts';
import { type EmbeddingAnswer, mayBeSameModel, requestVectors } from './openai-client.ts';

/** Half the limit of the strictest of these servers. */
const BATCH = Object.freeze({ items: 16, characters: 32_000 });

const SAMPLES: readonly EmbeddingInput[] = Object.freeze(SAMPLE_SENTENCES.map((text) => ({ id: text, text })));

export function createOpenaiEmbedding(
  server: ModelServer,
  traits: ModelTraits,
  dimensions: number | undefined,
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
    const answer = await requestVectors(texts, dimensions, attempt);
    checkModelName(answer, model);
    const wanted = { ids: inputs.map(({ id }) => id), dimensions, dims: expectedDims };
    return checkVectors(inOrder(answer, inputs.length, attempt), wanted, attempt);
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

  /** These servers load a model only with a request. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    await vectorsFor(SAMPLES.slice(0, 1), 'document', undefined, beginAttempt(server, signal));
  }

  const facts = { type: server.provider, model, endpoint: server.endpoint, batch: BATCH, contextTokens };
  return Object.freeze({ ...facts, identify, embed, loaded, warmUp });
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
