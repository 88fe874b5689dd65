// The embedding provider for a transformer in a local folder, which runs in a thread of this process: its config, its probe and how it opens.
import { basename } from 'node:path';
import * as z from 'zod';
import type { BatchResult } from '../../base/batch.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type {
  EmbeddingIdentity,
  EmbeddingInput,
  EmbeddingProvider,
  EmbeddingPurpose,
} from '../../contracts/embedding.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { checkTexts, prefixed } from '../model-server/model-families.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { failuresOf, type ModelFailures } from '../model2vec/model-failures.ts';
import { embedSamples, loadFor, MAX_TIMEOUT_MS, modelFolder } from '../model2vec/model2vec-provider.ts';
import {
  createModelThread,
  failuresIn,
  type LoadedModel,
  type ModelOptions,
  type ModelThread,
  TYPE,
} from './loaded-model.ts';
import type { ThreadReply } from './messages.ts';
import { readSettings } from './model-settings.ts';

/** One text takes some 50 ms of a processor: no request takes long, and others get their turn between two texts. */
const BATCH = Object.freeze({ items: 16, characters: 32_000 });
/** Until the model's own files say more. */
const USUAL_CONTEXT = 512;

function createOnnxEmbedding(model: string, contextTokens: number, thread: ModelThread): EmbeddingProvider {
  const load = (call: ProviderCall, signal: AbortSignal) => loadFor(TYPE, thread, call, signal);

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const { digest, dims, settings } = await load(call, signal);
    const { queryPrefix, documentPrefix } = settings;
    return { provider: TYPE, model, queryPrefix, documentPrefix, digest, samples: [], dims, truncation: 'refused' };
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
    const failures = failuresOf(model, TYPE);
    const succeeded: { id: string; result: Float32Array }[] = [];
    const failed: { id: string; error: VaultgraphError }[] = [];
    let count = 0;
    for (const input of inputs) {
      const reply = await thread.ask(
        loaded,
        { kind: 'embed', text: prefixed(input, purpose, loaded.settings) },
        signal,
      );
      if ('tokens' in reply) count += reply.tokens;
      const result = reply.kind === 'vector' ? reply.vector : failureOf(reply, loaded, failures);
      if (result instanceof VaultgraphError) failed.push({ id: input.id, error: result });
      else succeeded.push({ id: input.id, result });
    }
    call.trace.tokens = count;
    return { succeeded, failed };
  }

  async function loaded(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return thread.isLoaded();
  }

  async function warmUp(signal: AbortSignal): Promise<void> {
    await thread.load(signal);
  }

  const facts = { type: TYPE, model, endpoint: null, batch: BATCH, contextTokens, reportsTokens: true };
  return Object.freeze({ ...facts, identify, embed, loaded, warmUp });
}

/** Concerns only this text. */
function failureOf(reply: ThreadReply, { settings }: LoadedModel, failures: ModelFailures): VaultgraphError {
  if (reply.kind === 'too long') return failures.tooLong(reply.tokens, settings.contextTokens);
  return failures.badAnswer('a finite vector', reply.kind === 'unusable' ? reply.received : reply.kind);
}

interface OnnxConfig extends ModelOptions {
  /** Milliseconds. */
  readonly timeout: number;
}

/** MiB. */
export const maxMemory = z.int().min(64).max(65_536).default(2_048);

const onnxConfig: z.ZodType<OnnxConfig> = z.strictObject({
  model: modelFolder,
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).default(30_000),
  max_memory: maxMemory,
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
});

export const onnxProvider: Provider<'embedding', OnnxConfig> = Object.freeze<Provider<'embedding', OnnxConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: onnxConfig,
  limits: ({ timeout }) => ({ identify: timeout, embed: timeout, loaded: timeout, warmUp: timeout }),
  open: (config) => openOnnx(config),
});

/** Reads only the small files of the model; what is wrong with them is reported at the first use. */
export async function openFolder(options: ModelOptions) {
  const settings = () => readSettings(options.model, options, failuresIn(options), NEVER);
  const context = await settings().then(
    ({ contextTokens }) => contextTokens,
    () => USUAL_CONTEXT,
  );
  return { model: basename(options.model), settings, context, thread: createModelThread(options) };
}

async function openOnnx(config: OnnxConfig): Promise<Opened<EmbeddingProvider>> {
  const { model, settings, context, thread } = await openFolder(config);
  const capability = createOnnxEmbedding(model, context, thread);
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) =>
      probeLevels({
        reach: async () => `the folder ${model} has the files of a model: ${(await settings()).files[0]}`,
        findModel: async () => {
          const { pooling, contextTokens } = await settings();
          return `${contextTokens} tokens, pooling ${pooling}`;
        },
        isLoaded: () => capability.loaded(signal),
        answer: () => embedSamples(capability, signal),
      }),
    close: async () => thread.close(),
  });
}
