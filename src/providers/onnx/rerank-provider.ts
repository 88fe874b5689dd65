// The rerank provider for a cross-encoder in a local folder, which runs in a thread of this process.
import { basename } from 'node:path';
import * as z from 'zod';
import type { Opened, Provider } from '../../contracts/provider.ts';
import { type ProviderCall, probeCall } from '../../contracts/provider-call.ts';
import { type RerankProvider, SAMPLE_RERANK } from '../../contracts/rerank.ts';
import { rerankShape } from '../model-server/model-config.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { loadedMethods, loadFor, modelFolder } from '../model2vec/local-model.ts';
import { failuresIn, type ModelOptions, type ModelThread, TYPE } from './loaded-model.ts';
import { maxMemory, openFolder } from './onnx-provider.ts';

const { timeout, top, weight } = rerankShape();

const rerankConfig = z.strictObject({
  model: modelFolder,
  timeout,
  max_memory: maxMemory,
  top,
  weight,
  /** Milliseconds. */
  within: z.int().min(1).max(290_000).default(400),
});
type RerankConfig = z.infer<typeof rerankConfig>;

export const onnxRerankProvider: Provider<'rerank', RerankConfig> = Object.freeze<Provider<'rerank', RerankConfig>>({
  capability: 'rerank',
  type: TYPE,
  config: rerankConfig,
  limits: ({ timeout: limit }) => ({ identify: limit, rerank: limit, loaded: limit, warmUp: limit }),
  open: (config) => openReranker(config),
});

async function openReranker(config: RerankConfig): Promise<Opened<RerankProvider>> {
  const options = { ...config, pairs: true } as const;
  const { settings, context, thread } = await openFolder(options);
  const capability = createReranker(options, config, context, thread);
  const { query, documents } = SAMPLE_RERANK;
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) =>
      probeLevels({
        reach: async () => `the folder ${capability.model} has the files of a model: ${(await settings()).files[0]}`,
        findModel: async () => `${(await settings()).contextTokens} tokens`,
        isLoaded: () => capability.loaded(signal),
        answer: async () => `scores ${(await capability.rerank(query, documents, probeCall(), signal)).length} texts`,
      }),
    close: async () => thread.close(),
  });
}

function createReranker(
  options: ModelOptions,
  { top: most, weight, within }: RerankConfig,
  contextTokens: number,
  thread: ModelThread,
): RerankProvider {
  const model = basename(options.model);

  const load = (call: ProviderCall, signal: AbortSignal) => loadFor(TYPE, thread, call, signal);

  /** Scores one document after the other while there is time, and the first one in any case. */
  async function rerank(query: string, documents: readonly string[], call: ProviderCall, signal: AbortSignal) {
    signal.throwIfAborted();
    if (documents.length === 0) return [];
    const loaded = await load(call, signal);
    const until = performance.now() + Math.min(within, call.msLeft() / 2);
    const scores: number[] = [];
    let count = 0;
    for (const document of documents) {
      if (scores.length > 0 && performance.now() >= until) break;
      const request = { kind: 'score', query: query.toWellFormed(), document: document.toWellFormed() } as const;
      const reply = await thread.ask(loaded, request, signal);
      if (reply.kind !== 'score')
        throw failuresIn(options).badAnswer('a finite score', reply.kind === 'unusable' ? reply.received : reply.kind);
      scores.push(reply.score);
      count += reply.tokens;
    }
    call.trace.tokens = count;
    return scores;
  }

  async function identify(call: ProviderCall, signal: AbortSignal) {
    await load(call, signal);
    return { provider: TYPE, model };
  }

  const facts = { type: TYPE, model, endpoint: null, top: most, weight, contextTokens };
  return Object.freeze({ ...facts, rerank, identify, ...loadedMethods(thread) });
}
