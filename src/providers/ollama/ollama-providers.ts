// The embedding and language-model providers for Ollama: their limits, their probes and how they open. Opening uses no network.

import * as z from 'zod';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { LLMProvider } from '../../contracts/llm.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import { type ProviderCall, probeCall } from '../../contracts/provider-call.ts';
import { type Attempt, beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { badResponse, inShape, streamedFailure } from '../model-server/failures.ts';
import { onePerEndpoint } from '../model-server/model-config.ts';
import { traitsOf } from '../model-server/model-families.ts';
import { checkSampleVectors, probeLevels } from '../model-server/probe-levels.ts';
import { bodyLines, openRequest, parseJson } from '../model-server/send.ts';
import { SilentCuts } from '../model-server/silent-cuts.ts';
import { installedModels, reachOllama, TYPE } from './ollama-client.ts';
import { type OllamaConfig, type OllamaLlmConfig, ollamaConfig, ollamaLlmConfig } from './ollama-config.ts';
import { createOllamaEmbedding } from './ollama-embedding.ts';
import { createOllamaLlm } from './ollama-llm.ts';
import { ModelVetting } from './vet-model.ts';

/** Short, because the server reads a list in memory and the caller waits for the answer before the real request. */
const LOADED_LIMIT_MS = 1_500;

export const ollamaEmbeddingProvider: Provider<'embedding', OllamaConfig> = Object.freeze<
  Provider<'embedding', OllamaConfig>
>({
  capability: 'embedding',
  type: TYPE,
  config: ollamaConfig,
  limits: ({ timeout, load_timeout }) => ({
    ...{ identify: timeout, embed: timeout },
    ...{ loaded: LOADED_LIMIT_MS, warmUp: load_timeout },
  }),
  endpoints: onePerEndpoint,
  installed: (endpoint, signal) => installedModels('embedding', endpoint, signal),
  open: async (config) => {
    const server = serverOf('embedding', config);
    const vetting = new ModelVetting(config, 'embedding');
    const cuts = new SilentCuts();
    const capability = createOllamaEmbedding(config, server, traitsOf(config), vetting, cuts);
    return openedOn(server, capability, async (call, signal) =>
      cuts.reportedWith(await checkSampleVectors(capability, server, call, signal)),
    );
  },
});

export const ollamaLlmProvider: Provider<'llm', OllamaLlmConfig> = Object.freeze<Provider<'llm', OllamaLlmConfig>>({
  capability: 'llm',
  type: TYPE,
  config: ollamaLlmConfig,
  limits: ({ timeout, load_timeout }) => ({
    ...{ identify: timeout, generate: timeout },
    ...{ loaded: LOADED_LIMIT_MS, warmUp: load_timeout },
  }),
  endpoints: onePerEndpoint,
  installed: (endpoint, signal) => installedModels('llm', endpoint, signal),
  open: async (config) => {
    const server = serverOf('llm', config);
    return openedOn(server, createOllamaLlm(config, server, new ModelVetting(config, 'completion')));
  },
});

function serverOf(capability: ModelServer['capability'], config: OllamaConfig | OllamaLlmConfig): ModelServer {
  const { endpoint, model, headers, auto_pull: autoPull, allow_remote: allowRemote } = config;
  return { capability, provider: TYPE, endpoint, model, headers, autoPull, allowRemote };
}

/** @param answer the last step of the probe; absent where it would take too long */
function openedOn<T extends EmbeddingProvider | LLMProvider>(
  server: ModelServer,
  capability: T,
  answer?: (call: ProviderCall, signal: AbortSignal) => Promise<string>,
): Opened<T> {
  const pull = (onProgress: (share: number) => void, signal: AbortSignal): Promise<void> =>
    pullModel(beginAttempt(server, signal), onProgress);
  const probe: Opened<T>['probe'] = (signal) => {
    const call = probeCall();
    return probeLevels({
      reach: () => reachOllama(beginAttempt(server, signal)),
      findModel: () => describeModel(capability, call, signal),
      isLoaded: () => capability.loaded(signal),
      ...(answer && { answer: () => answer(call, signal) }),
    });
  };
  return Object.freeze({
    ...{ capability, probe },
    close: async () => undefined,
    ...(server.autoPull === 'once' ? { pull } : {}),
  });
}

async function describeModel(
  capability: EmbeddingProvider | LLMProvider,
  call: ProviderCall,
  signal: AbortSignal,
): Promise<string> {
  const identity = await capability.identify(call, signal);
  const dims = 'dims' in identity ? `, ${identity.dims} dimensions` : '';
  return `${capability.model} is installed (${identity.digest?.slice(0, 12)}${dims})`;
}

const PATH = '/api/pull';

const RECORD = z.object({
  status: z.string().optional(),
  /** Identifies one file of the model. */
  digest: z.string().optional(),
  /** Bytes of that file. */
  total: z.number().optional(),
  completed: z.number().optional(),
  error: z.unknown().optional(),
});
type PullRecord = z.infer<typeof RECORD>;

/**
 * Ends when the server reports success.
 * @param onProgress takes a share from 0 to 1, never less than before
 * @throws PROVIDER_*, the signal's reason
 */
async function pullModel(attempt: Attempt, onProgress: (share: number) => void): Promise<void> {
  const reply = await openRequest({ path: PATH, body: { model: attempt.model, stream: true } }, attempt);
  const shareAfter = createShare();
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(RECORD, parseJson(line, attempt), attempt);
    if (record.error) throw streamedFailure(line, PATH, attempt);
    onProgress(shareAfter(record));
    if (record.status === 'success') return;
  }
  throw badResponse('a final record', 'a stream without one', attempt);
}

/** The server announces files one by one, so the share of the known total can fall; the reported share does not. */
function createShare(): (record: PullRecord) => number {
  const files = new Map<string, { readonly total: number; readonly completed: number }>();
  let reported = 0;
  return ({ status, digest, total, completed = 0 }) => {
    if (status === 'success') return 1;
    if (digest !== undefined && total !== undefined) files.set(digest, { total, completed });
    const sum = (key: 'total' | 'completed'): number => [...files.values()].reduce((all, file) => all + file[key], 0);
    reported = Math.max(reported, sum('total') > 0 ? Math.min(1, sum('completed') / sum('total')) : 0);
    return reported;
  };
}
