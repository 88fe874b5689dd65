// Embeds texts with an Ollama server, with one attempt for each call.
import * as z from 'zod';
import type { BatchResult } from '../../base/batch.ts';
import type {
  EmbeddingIdentity,
  EmbeddingInput,
  EmbeddingProvider,
  EmbeddingPurpose,
} from '../../contracts/embedding.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { type Attempt, beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { checkVectors } from '../model-server/check-vectors.ts';
import { isAboutOneInput, unsuitableModel } from '../model-server/failures.ts';
import { checkTexts, type ModelTraits, prefixed } from '../model-server/model-families.ts';
import { callOllama, isLoaded } from './ollama-client.ts';
import type { OllamaConfig } from './ollama-config.ts';
import type { ModelVetting, VettedModel } from './vet-model.ts';

/** The server embeds the texts of a batch one by one, so a larger batch would only make failures more expensive. */
const BATCH = Object.freeze({ items: 16, characters: 32_000 });

const EMBEDDED = z.object({ embeddings: z.unknown() });

export function createOllamaEmbedding(
  config: OllamaConfig,
  server: ModelServer,
  traits: ModelTraits,
  vetting: ModelVetting,
): EmbeddingProvider {
  const { model, dimensions } = config;
  const { queryPrefix, documentPrefix, contextTokens } = traits;

  /** Each request has the same settings, because the server reloads the model when they change. */
  const requestVectors = (attempt: Attempt, input: string[]) =>
    callOllama(attempt, EMBEDDED, (client) =>
      client.embed({ model, input, truncate: false, ...(dimensions === undefined ? {} : { dimensions }) }),
    );

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const attempt = beginAttempt(server, signal, call);
    const vetted = await vetting.vet(attempt);
    const dims = dimsOf(vetted, attempt);
    const weights = { digest: vetted.digest, samples: [], dims, truncation: 'refused' } as const;
    return { provider: server.provider, model, queryPrefix, documentPrefix, ...weights };
  }

  function dimsOf({ dims = traits.dims }: VettedModel, attempt: Attempt): number {
    if (dims === undefined)
      throw unsuitableModel(
        'the server does not report the length of its vectors; set `dimensions` in the config',
        attempt,
      );
    if (dimensions === undefined || dimensions <= dims) return dimensions ?? dims;
    throw unsuitableModel(`its vectors have ${dims} numbers, the config asks for ${dimensions}`, attempt, [], dims);
  }

  async function embed(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    call: ProviderCall,
    signal: AbortSignal,
  ): Promise<BatchResult<Float32Array>> {
    if (inputs.length === 0) return { succeeded: [], failed: [] };
    checkTexts(inputs);
    const texts = inputs.map(({ text }) => text);
    const attempt = beginAttempt(server, signal, call, texts);
    try {
      const { dims } = await vetting.vetIfStale(attempt);
      const sent = inputs.map((input) => prefixed(input, purpose, traits));
      const { embeddings } = await requestVectors(attempt, sent);
      return checkVectors(embeddings, { ids: inputs.map(({ id }) => id), dimensions, dims }, attempt);
    } catch (thrown) {
      if (!isAboutOneInput(thrown)) vetting.forget();
      throw thrown;
    }
  }

  const loaded = async (signal: AbortSignal): Promise<boolean> => isLoaded(beginAttempt(server, signal));

  async function warmUp(signal: AbortSignal): Promise<void> {
    const attempt = beginAttempt(server, signal);
    await vetting.vetIfStale(attempt);
    await requestVectors(attempt, []);
  }

  const facts = { type: server.provider, model, endpoint: server.endpoint, batch: BATCH, contextTokens };
  return Object.freeze({ ...facts, identify, embed, loaded, warmUp });
}
