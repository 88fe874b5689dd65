// The embedding provider for a transformer in a local folder, which runs in a thread of this process: its config, its probe and how it opens.
import { basename } from 'node:path';
import * as z from 'zod';
import { NEVER } from '../../base/async/waits.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import {
  createLocalEmbedding,
  embedSamples,
  type LocalEmbedding,
  localEmbeddingShape,
} from '../model2vec/local-model.ts';
import { failuresOf, type ModelFailures } from '../model2vec/model-failures.ts';
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
  const facts = { type: TYPE, model, batch: BATCH, contextTokens, reportsTokens: true };
  const embedding: LocalEmbedding<LoadedModel>['embedding'] = async (loaded, each, { trace }, signal) => {
    const failures = failuresOf(model, TYPE);
    let count = 0;
    await each(async (text) => {
      const reply = await thread.ask(loaded, { kind: 'embed', text }, signal);
      if ('tokens' in reply) count += reply.tokens;
      return reply.kind === 'vector' ? reply.vector : failureOf(reply, loaded, failures);
    });
    trace.tokens = count;
  };
  return createLocalEmbedding(
    {
      ...facts,
      prefixes: ({ settings }) => settings,
      weights: ({ digest, dims }) => ({ digest, dims, truncation: 'refused' }),
      embedding,
    },
    thread,
  );
}

/** Concerns only this text. */
function failureOf(reply: ThreadReply, { settings }: LoadedModel, failures: ModelFailures): VaultgraphError {
  if (reply.kind === 'too long') return failures.tooLong(reply.tokens, settings.contextTokens);
  return failures.badAnswer('a finite vector', reply.kind === 'unusable' ? reply.received : reply.kind);
}

/** MiB. */
export const maxMemory = z.int().min(64).max(65_536).default(2_048);

const { model, timeout, ...prefixes } = localEmbeddingShape;
const onnxConfig = z.strictObject({ model, timeout, max_memory: maxMemory, ...prefixes });
type OnnxConfig = z.infer<typeof onnxConfig>;

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
