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
import { type Attempt, beginAttempt, type ModelServer, reportTokens } from '../model-server/attempt.ts';
import { checkVectors } from '../model-server/check-vectors.ts';
import { isAboutOneInput, unsuitableModel } from '../model-server/failures.ts';
import { checkTexts, embeddingFacts, type ModelTraits, prefixed } from '../model-server/model-families.ts';
import type { RequestVectors, SilentCuts } from '../model-server/silent-cuts.ts';
import { COUNT } from '../model-server/token-counts.ts';
import { callOllama, isLoaded } from './ollama-client.ts';
import type { OllamaConfig } from './ollama-config.ts';
import type { ModelVetting, VettedModel } from './vet-model.ts';

const EMBEDDED = z.object({ embeddings: z.unknown(), prompt_eval_count: COUNT });

export function createOllamaEmbedding(
  config: OllamaConfig,
  server: ModelServer,
  traits: ModelTraits,
  vetting: ModelVetting,
  cuts: SilentCuts,
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
      const request: RequestVectors = async (some, ids) => {
        const { embeddings, prompt_eval_count: tokens } = await requestVectors(attempt, [...some]);
        return { vectors: checkVectors(embeddings, { ids, dimensions, dims }, attempt), tokens };
      };
      const sent = inputs.map((input) => prefixed(input, purpose, traits));
      const ids = inputs.map(({ id }) => id);
      // Older servers cut a text although the request forbids it.
      const embedded = await cuts.embed(sent, ids, request, attempt);
      reportTokens(embedded.tokens, attempt);
      return embedded.vectors;
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

  return Object.freeze({ ...embeddingFacts(server, contextTokens), identify, embed, loaded, warmUp });
}
