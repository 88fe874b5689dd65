// Vectors from an Ollama server: each call is one attempt, with one answer or one failure. Keeps no time and tries nothing twice.
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
import { checkTexts } from '../model-server/check-texts.ts';
import { checkVectors } from '../model-server/check-vectors.ts';
import { type ModelTraits, prefixed } from '../model-server/families.ts';
import { isAboutOneInput, unsuitableModel } from '../model-server/found-failures.ts';
import { askOllama } from './ask-ollama.ts';
import { isLoaded } from './loaded-model.ts';
import type { OllamaConfig } from './ollama-config.ts';
import type { VettedModel, Vetting } from './vet-model.ts';

/** The server embeds one text after the other whatever it is sent at once: more would only make failures dearer. */
const BATCH = Object.freeze({ items: 16, characters: 32_000 });

const EMBEDDED = z.object({ embeddings: z.unknown() });

export function createOllamaEmbedding(
  config: OllamaConfig,
  server: ModelServer,
  traits: ModelTraits,
  vetting: Vetting,
): EmbeddingProvider {
  const { model, dimensions } = config;
  const { queryPrefix, documentPrefix, contextTokens } = traits;

  /** The same settings with each request: the server loads the model anew when they change. */
  const askForVectors = (attempt: Attempt, input: string[]) =>
    askOllama(attempt, EMBEDDED, (client) =>
      client.embed({ model, input, truncate: false, ...(dimensions === undefined ? {} : { dimensions }) }),
    );

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const attempt = beginAttempt(server, signal, call);
    const vetted = await vetting.vet(attempt);
    const dims = dimsOf(vetted, attempt);
    const { digest } = vetted;
    return {
      provider: server.provider,
      model,
      digest,
      samples: [],
      dims,
      queryPrefix,
      documentPrefix,
      truncation: 'refused',
    };
  }

  function dimsOf({ dims = traits.dims }: VettedModel, attempt: Attempt): number {
    if (dims === undefined)
      throw unsuitableModel('it does not tell how long its vectors are; `dimensions` in the config can', attempt);
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
      const { dims } = await vetting.vetOnceInAWhile(attempt);
      const sent = inputs.map((input) => prefixed(input, purpose, traits));
      const { embeddings } = await askForVectors(attempt, sent);
      return checkVectors(embeddings, { ids: inputs.map(({ id }) => id), dimensions, dims }, attempt);
    } catch (thrown) {
      if (!isAboutOneInput(thrown)) vetting.forget();
      throw thrown;
    }
  }

  async function loaded(signal: AbortSignal): Promise<boolean> {
    return isLoaded(beginAttempt(server, signal));
  }

  async function warmUp(signal: AbortSignal): Promise<void> {
    const attempt = beginAttempt(server, signal);
    await vetting.vetOnceInAWhile(attempt);
    await askForVectors(attempt, []);
  }

  const told = { type: server.provider, model, endpoint: server.endpoint, batch: BATCH, contextTokens };
  return Object.freeze({ ...told, identify, embed, loaded, warmUp });
}
