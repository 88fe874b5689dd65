// Vectors from a table of tokens, computed in this process: no text leaves it. Keeps no time.
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type {
  EmbeddingIdentity,
  EmbeddingInput,
  EmbeddingProvider,
  EmbeddingPurpose,
} from '../../contracts/embedding.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { checkTexts } from '../model-server/check-texts.ts';
import { prefixed } from '../model-server/families.ts';
import type { LoadedModel, ModelCache } from './loaded-model.ts';
import { failuresOf, type ModelFailures, TYPE } from './model-failures.ts';
import type { Model2vecConfig } from './model2vec-config.ts';
import { MAX_TOKENS } from './tokenizer.ts';

/** Small enough that what is asked meanwhile need not wait long. */
const BATCH = Object.freeze({ items: 32, characters: 64_000 });

export function createModel2vecEmbedding(config: Model2vecConfig, cache: ModelCache): EmbeddingProvider {
  const model = basename(config.model);
  const traits = Object.freeze({
    queryPrefix: config.query_prefix ?? '',
    documentPrefix: config.document_prefix ?? '',
    contextTokens: MAX_TOKENS,
  });

  async function load(call: ProviderCall, signal: AbortSignal): Promise<LoadedModel> {
    signal.throwIfAborted();
    call.trace.attempts += 1;
    const loaded = await cache.load(signal, call.trace);
    call.trace.servedBy = TYPE;
    return loaded;
  }

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const { digest, table } = await load(call, signal);
    const { queryPrefix, documentPrefix } = traits;
    return {
      provider: TYPE,
      model,
      digest,
      samples: [],
      dims: table.dims,
      queryPrefix,
      documentPrefix,
      // Beyond the first `MAX_TOKENS` tokens a text is not read, and nobody is told.
      truncation: 'silent',
    };
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
    const loaded = await load(call, signal);
    const failures = failuresOf(model);
    const succeeded: { id: string; result: Float32Array }[] = [];
    const failed: { id: string; error: VaultgraphError }[] = [];
    for (const input of inputs) {
      // Without a turn for others, neither a limit nor an abort would be heard before the end.
      await turn();
      signal.throwIfAborted();
      const result = vectorOrFailure(prefixed(input, purpose, traits), loaded, failures);
      if (result instanceof VaultgraphError) failed.push({ id: input.id, error: result });
      else succeeded.push({ id: input.id, result });
    }
    return { succeeded, failed };
  }

  async function loaded(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return cache.isLoaded();
  }

  async function warmUp(signal: AbortSignal): Promise<void> {
    await cache.load(signal);
  }

  const told = { type: TYPE, model, endpoint: null, batch: BATCH, contextTokens: MAX_TOKENS };
  return Object.freeze({ ...told, identify, embed, loaded, warmUp });
}

function vectorOrFailure(text: string, { tokenizer, table }: LoadedModel, failures: ModelFailures) {
  try {
    return table.vectorOf(tokensIn(text, tokenizer, failures), failures);
  } catch (thrown) {
    return toVaultgraphError(thrown);
  }
}

/** What the library throws concerns this text alone. */
function tokensIn(text: string, { tokensOf }: LoadedModel['tokenizer'], failures: ModelFailures): readonly number[] {
  try {
    return tokensOf(text);
  } catch (thrown) {
    throw failures.badVector('tokens of the text', 'none', thrown);
  }
}
