// Embeds texts in this process with a model2vec model.
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type {
  EmbeddingIdentity,
  EmbeddingInput,
  EmbeddingProvider,
  EmbeddingPurpose,
} from '../../contracts/embedding.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { checkTexts, prefixed } from '../model-server/model-families.ts';
import type { LoadedModel, ModelCache } from './loaded-model.ts';
import { failuresOf, type ModelFailures, TYPE } from './model-failures.ts';
import type { ModelTensors } from './model-tensors.ts';
import { MAX_TOKENS, type Tokens } from './tokenizer.ts';

/** Small enough that other calls need not wait long. */
const BATCH = Object.freeze({ items: 32, characters: 64_000 });

interface EmbeddingOptions {
  /** The folder's name. */
  readonly model: string;
  readonly query_prefix?: string | undefined;
  readonly document_prefix?: string | undefined;
}

export function createModel2vecEmbedding(options: EmbeddingOptions, cache: ModelCache): EmbeddingProvider {
  const { model } = options;
  const traits = Object.freeze({
    queryPrefix: options.query_prefix ?? '',
    documentPrefix: options.document_prefix ?? '',
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
    // The rest of a text after `MAX_TOKENS` tokens is not read, and no error says so.
    const weights = { digest, samples: [], dims: table.dims, truncation: 'silent' } as const;
    return { provider: TYPE, model, queryPrefix, documentPrefix, ...weights };
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
    let [count, unknown] = [0, 0];
    await loaded.useTable(failures, async (file) => {
      for (const input of inputs) {
        // Otherwise neither a timeout nor an abort would take effect before the end.
        await letOthersRun();
        signal.throwIfAborted();
        const text = prefixed(input, purpose, traits);
        const result = await vectorOrFailure(text, loaded, file, failures, (tokens) => {
          count += tokens.count;
          unknown += tokens.unknown;
        });
        if (result instanceof VaultgraphError) failed.push({ id: input.id, error: result });
        else succeeded.push({ id: input.id, result });
      }
    });
    if (count > 0) call.trace.unknownShare = unknown / count;
    return { succeeded, failed };
  }

  async function loaded(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return cache.isLoaded();
  }

  async function warmUp(signal: AbortSignal): Promise<void> {
    await cache.load(signal);
  }

  const facts = { type: TYPE, model, endpoint: null, batch: BATCH, contextTokens: MAX_TOKENS, reportsTokens: false };
  return Object.freeze({ ...facts, identify, embed, loaded, warmUp });
}

/** @throws PROVIDER_UNAVAILABLE if the disk fails, which concerns every text */
async function vectorOrFailure(
  text: string,
  { tokenizer, table }: LoadedModel,
  file: ModelTensors,
  failures: ModelFailures,
  onTokens: (tokens: Tokens) => void,
): Promise<Float32Array | VaultgraphError> {
  try {
    const tokens = tokensIn(text, tokenizer, failures);
    onTokens(tokens);
    return await table.vectorOf(tokens.ids, file, failures);
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    if (error.code === 'PROVIDER_UNAVAILABLE') throw error;
    return error;
  }
}

/** The library's errors concern only this text. */
function tokensIn(text: string, { tokensOf }: LoadedModel['tokenizer'], failures: ModelFailures): Tokens {
  try {
    return tokensOf(text);
  } catch (thrown) {
    throw failures.badVector('tokens of the text', 'none', thrown);
  }
}
