// Vectors from a server that speaks OpenAI's wire: each call is one attempt, with one answer or one failure. Keeps no time.
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
import { checkTexts } from '../model-server/check-texts.ts';
import { checkVectors } from '../model-server/check-vectors.ts';
import { type ModelTraits, prefixed } from '../model-server/families.ts';
import { badResponse } from '../model-server/found-failures.ts';
import { askForVectors, type Embedded } from './ask-openai.ts';
import { mayBeSameModel } from './model-name.ts';

/** Half of what the strictest of these servers takes. */
const BATCH = Object.freeze({ items: 16, characters: 32_000 });

const SAMPLES: readonly EmbeddingInput[] = Object.freeze(SAMPLE_SENTENCES.map((text) => ({ id: text, text })));

export function createOpenaiEmbedding(
  server: ModelServer,
  traits: ModelTraits,
  dimensions: number | undefined,
): EmbeddingProvider {
  const { model } = server;
  const { queryPrefix, documentPrefix, contextTokens } = traits;
  /** Of the vectors that the latest `identify` met: no server tells how long they are. */
  let dims: number | undefined;

  async function vectorsFor(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    expectedDims: number | undefined,
    attempt: Attempt,
  ): Promise<BatchResult<Float32Array>> {
    const texts = inputs.map((input) => prefixed(input, purpose, traits));
    const answer = await askForVectors(texts, dimensions, attempt);
    checkSignature(answer, model);
    const wanted = { ids: inputs.map(({ id }) => id), dimensions, dims: expectedDims };
    return checkVectors(inOrder(answer, inputs.length, attempt), wanted, attempt);
  }

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const attempt = beginAttempt(server, signal, call);
    const { succeeded, failed } = await vectorsFor(SAMPLES, 'document', undefined, attempt);
    if (failed.length > 0) throw badResponse('vectors of plain sentences', 'some that are no directions', attempt);
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

  /** There is no other way than to ask it for something. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    await vectorsFor(SAMPLES.slice(0, 1), 'document', undefined, beginAttempt(server, signal));
  }

  const told = { type: server.provider, model, endpoint: server.endpoint, batch: BATCH, contextTokens };
  return Object.freeze({ ...told, identify, embed, loaded, warmUp });
}

/** Some servers answer with whatever they have in memory. Those that sign with nothing are believed. @throws EMBEDDER_MISMATCH */
function checkSignature({ model: signed }: Embedded, model: string): void {
  if (!signed || mayBeSameModel(signed, model)) return;
  throw new VaultgraphError('EMBEDDER_MISMATCH', { index: { model }, provider: { model: signed }, differs: ['model'] });
}

/** The order of an answer is its own; `index` is the place of the text. @throws PROVIDER_BAD_RESPONSE */
function inOrder({ data }: Embedded, count: number, attempt: Attempt): unknown[] {
  const places = new Map(data.map(({ index, embedding }) => [index, embedding]));
  if (data.length !== count) throw badResponse(`${count} vectors`, `${data.length}`, attempt);
  if (places.size !== count || Math.max(...places.keys()) !== count - 1)
    throw badResponse(`each index from 0 to ${count - 1} once`, 'others', attempt);
  return Array.from({ length: count }, (_each, at) => places.get(at));
}
