// The embedding and language-model providers for OpenAI-compatible servers: limits, probes, opening. Opening uses no network.

import * as z from 'zod';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { LLMProvider } from '../../contracts/llm.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import { type ApiKey, apiKey, checkKey, headersFor } from '../model-server/api-key.ts';
import { beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import {
  checkEmbeddingServer,
  checkModelServer,
  type EmbeddingServerConfig,
  embeddingShape,
  type LlmServerConfig,
  llmShape,
  onePerEndpoint,
} from '../model-server/model-config.ts';
import { type ModelTraits, traitsOf } from '../model-server/model-families.ts';
import { mayBeSameModel } from '../model-server/model-name.ts';
import { checkSampleVectors, type ProbeSteps, probeLevels } from '../model-server/probe-levels.ts';
import { SilentCuts } from '../model-server/silent-cuts.ts';
import { listModels, TYPE } from './openai-client.ts';
import { createOpenaiEmbedding } from './openai-embedding.ts';
import { createOpenaiLlm } from './openai-llm.ts';

interface OpenaiConfig extends EmbeddingServerConfig, ApiKey {}
interface OpenaiLlmConfig extends LlmServerConfig, ApiKey {}

const ownKeys = () => ({
  /** Including the version: `/embeddings` is appended to it. */
  endpoint: endpointSchema(),
  api_key: apiKey(),
});

export const openaiConfig: z.ZodType<OpenaiConfig> = z
  .strictObject({ ...embeddingShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkEmbeddingServer(config, context);
    checkKey(config, context);
  });

/** Without `failover`: these servers report no digest, so that another one may have another model. */
const openaiLlmConfig: z.ZodType<OpenaiLlmConfig> = z
  .strictObject({ ...llmShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    checkKey(config, context);
  });

/** Longer than a tool takes between two requests. */
const IDLE_MS = 5_000;

/** The usual default of these servers; some truncate longer texts without saying so. */
const DEFAULT_CONTEXT = 512;

export const openaiEmbeddingProvider: Provider<'embedding', OpenaiConfig> = Object.freeze<
  Provider<'embedding', OpenaiConfig>
>({
  capability: 'embedding',
  type: TYPE,
  config: openaiConfig,
  limits: ({ timeout, load_timeout }) => ({
    ...{ identify: timeout, embed: timeout },
    ...{ loaded: 'bounded', warmUp: load_timeout },
  }),
  endpoints: onePerEndpoint,
  open: async (config) => {
    const server = serverOf('embedding', config);
    const cuts = new SilentCuts();
    const capability = createOpenaiEmbedding(server, cautiousTraits(config), config.dimensions, cuts);
    const answer = async (signal: AbortSignal): Promise<string> =>
      cuts.reportedWith(await checkSampleVectors(capability, server, probeCall(), signal));
    return openedOn(server, capability, { answer });
  },
});

export const openaiLlmProvider: Provider<'llm', OpenaiLlmConfig> = Object.freeze<Provider<'llm', OpenaiLlmConfig>>({
  capability: 'llm',
  type: TYPE,
  config: openaiLlmConfig,
  limits: ({ timeout, load_timeout }) => ({
    ...{ identify: timeout, generate: timeout },
    ...{ loaded: 'bounded', warmUp: load_timeout + timeout },
  }),
  open: async (config) => {
    const server = serverOf('llm', config);
    const settings = { configured: config.context, limitMs: config.timeout, idleMs: IDLE_MS };
    const { provider, readContext } = createOpenaiLlm(server, settings);
    const close = async (): Promise<void> => readContext.close();
    return openedOn(server, provider, { close, about: () => readContext.finding });
  },
});

function serverOf(capability: ModelServer['capability'], config: OpenaiConfig | OpenaiLlmConfig): ModelServer {
  const { endpoint, model, allow_remote: allowRemote } = config;
  return { capability, provider: TYPE, endpoint, model, headers: headersFor(config), allowRemote };
}

function cautiousTraits(config: OpenaiConfig): ModelTraits {
  const traits = traitsOf(config);
  return { ...traits, contextTokens: config.context ?? Math.min(traits.contextTokens, DEFAULT_CONTEXT) };
}

interface Steps {
  /** The last step of the probe; absent where it would take too long. */
  answer?(signal: AbortSignal): Promise<string>;
  /** What is known about the model besides its name. */
  about?(): string;
  close?(): Promise<void>;
}

function openedOn<T extends EmbeddingProvider | LLMProvider>(
  server: ModelServer,
  capability: T,
  { answer, about, close = async () => undefined }: Steps,
): Opened<T> {
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) =>
      probeLevels({
        ...listSteps(server, about, signal),
        isLoaded: () => capability.loaded(signal),
        ...(answer && { answer: () => answer(signal) }),
      }),
    close,
  });
}

/** The first two levels of a probe, with one request. */
function listSteps(
  server: ModelServer,
  about: Steps['about'],
  signal: AbortSignal,
): Pick<ProbeSteps, 'reach' | 'findModel'> {
  let listed: readonly string[] | undefined;
  return {
    reach: async () => {
      listed = await listModels(beginAttempt(server, signal));
      return `a server answers at ${server.endpoint}`;
    },
    findModel: async () => [describeListing(server.model, listed), ...(about ? [about()] : [])].join('; '),
  };
}

/** The list proves nothing: some servers accept any name, others more names than they list. Only an answer does. */
function describeListing(model: string, listed: readonly string[] | undefined): string {
  if (listed === undefined) return 'it has no list of models';
  if (listed.some((name) => mayBeSameModel(name, model))) return `${model} is listed`;
  return `${model} is not among the ${listed.length} models listed`;
}
