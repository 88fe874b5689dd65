// The embedding and language-model providers for OpenAI-compatible servers: limits, probes, opening. Opening uses no network.
import * as z from 'zod';
import type { BatchResult } from '../../base/batch.ts';
import { VaultgraphError } from '../../base/errors.ts';
import {
  type EmbeddingIdentity,
  type EmbeddingInput,
  type EmbeddingProvider,
  type EmbeddingPurpose,
  SAMPLE_SENTENCES,
} from '../../contracts/embedding.ts';
import type { LLMProvider } from '../../contracts/llm.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import { type ProviderCall, probeCall } from '../../contracts/provider-call.ts';
import { type Attempt, beginAttempt, endpointSchema, type ModelServer, reportTokens } from '../model-server/attempt.ts';
import { badResponse, isAboutOneInput } from '../model-server/failures.ts';
import {
  apiKey,
  checkEmbeddingServer,
  checkKey,
  checkModelServer,
  embeddingShape,
  headersFor,
  llmShape,
  mayBeSameModel,
  onePerEndpoint,
} from '../model-server/model-config.ts';
import { checkTexts, embeddingFacts, type ModelTraits, prefixed, traitsOf } from '../model-server/model-families.ts';
import { checkSampleVectors, type ProbeSteps, probeLevels } from '../model-server/probe-levels.ts';
import { checkVectors, longSample, type RequestVectors, SilentCuts } from '../model-server/silent-cuts.ts';
import { type EmbeddingAnswer, listModels, requestVectors, TYPE } from './openai-client.ts';
import { createOpenaiLlm } from './openai-llm.ts';

const SAMPLES: readonly EmbeddingInput[] = Object.freeze(SAMPLE_SENTENCES.map((text) => ({ id: text, text })));

function createOpenaiEmbedding(
  server: ModelServer,
  traits: ModelTraits,
  dimensions: number | undefined,
  cuts: SilentCuts,
): EmbeddingProvider {
  const { model } = server;
  const { queryPrefix, documentPrefix, contextTokens } = traits;
  /** The vectors' length in the latest `identify`: no server reports it. */
  let dims: number | undefined;

  async function vectorsFor(
    inputs: readonly EmbeddingInput[],
    purpose: EmbeddingPurpose,
    expectedDims: number | undefined,
    attempt: Attempt,
  ): Promise<BatchResult<Float32Array>> {
    const texts = inputs.map((input) => prefixed(input, purpose, traits));
    const request: RequestVectors = async (some, ids) => {
      const answer = await requestVectors(some, dimensions, attempt);
      checkModelName(answer, model);
      const vectors = checkVectors(
        inOrder(answer, some.length, attempt),
        { ids, dimensions, dims: expectedDims },
        attempt,
      );
      return { vectors, tokens: answer.usage?.prompt_tokens };
    };
    const ids = inputs.map(({ id }) => id);
    const embedded = await cuts.embed(texts, ids, request, attempt);
    reportTokens(embedded.tokens, attempt);
    if (inputs === SAMPLES) cuts.learn(texts, embedded.tokens);
    return embedded.vectors;
  }

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const attempt = beginAttempt(server, signal, call);
    const { succeeded, failed } = await vectorsFor(SAMPLES, 'document', undefined, attempt);
    if (failed.length > 0) throw badResponse('usable vectors of plain sentences', 'unusable ones', attempt);
    const samples = succeeded.map(({ result }) => result);
    dims = samples[0]?.length ?? 0;
    const weights = { digest: null, samples, dims, truncation: 'silent' } as const;
    return { provider: server.provider, model, queryPrefix, documentPrefix, ...weights };
  }

  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    signal.throwIfAborted();
    if (inputs.length === 0) return { succeeded: [], failed: [] };
    checkTexts(inputs);
    const texts = inputs.map(({ text }) => text);
    return vectorsFor(inputs, purpose, dims, beginAttempt(server, signal, call, texts));
  };

  async function loaded(signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted();
  }

  /** These servers load a model only with a request. A long text shows whether they cut it. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    await vectorsFor(SAMPLES.slice(0, 1), 'document', undefined, beginAttempt(server, signal));
    const long = [{ id: 'long', text: longSample(contextTokens) }];
    const [outcome] = await Promise.allSettled([vectorsFor(long, 'document', undefined, beginAttempt(server, signal))]);
    if (outcome.status === 'rejected' && !isAboutOneInput(outcome.reason)) throw outcome.reason;
  }

  return Object.freeze({ ...embeddingFacts(server, contextTokens), identify, embed, loaded, warmUp });
}

/** Some servers answer with whatever model they have loaded. An answer without a model name is accepted. @throws EMBEDDER_MISMATCH */
function checkModelName({ model: answered }: EmbeddingAnswer, model: string): void {
  if (!answered || mayBeSameModel(answered, model)) return;
  throw new VaultgraphError('EMBEDDER_MISMATCH', {
    index: { model },
    provider: { model: answered },
    differs: ['model'],
  });
}

/** Sorts the vectors by `index`, the position of their texts. @throws PROVIDER_BAD_RESPONSE */
function inOrder({ data }: EmbeddingAnswer, count: number, attempt: Attempt): unknown[] {
  const places = new Map(data.map(({ index, embedding }) => [index, embedding]));
  if (data.length !== count) throw badResponse(`${count} vectors`, `${data.length}`, attempt);
  if (places.size !== count || Math.max(...places.keys()) !== count - 1)
    throw badResponse(`each index from 0 to ${count - 1} once`, 'others', attempt);
  return Array.from({ length: count }, (_each, at) => places.get(at));
}

const ownKeys = () => ({
  /** Including the version: `/embeddings` is appended to it. */
  endpoint: endpointSchema(),
  api_key: apiKey(),
});

export const openaiConfig = z.strictObject({ ...embeddingShape(), ...ownKeys() }).superRefine((config, context) => {
  checkEmbeddingServer(config, context);
  checkKey(config, context);
});

/** Without `failover`: these servers report no digest, so that another one may have another model. */
const openaiLlmConfig = z.strictObject({ ...llmShape(), ...ownKeys() }).superRefine((config, context) => {
  checkModelServer(config, context);
  checkKey(config, context);
});

type OpenaiConfig = z.infer<typeof openaiConfig>;
type OpenaiLlmConfig = z.infer<typeof openaiLlmConfig>;

/** Longer than a tool takes between two requests. */
const IDLE_MS = 5_000;

/** The usual default of these servers; some truncate longer texts without saying so. */
const DEFAULT_CONTEXT = 512;

export const openaiEmbeddingProvider = Object.freeze<Provider<'embedding', OpenaiConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: openaiConfig,
  limits: ({ timeout: limit, load_timeout: warmUp }) => ({ identify: limit, embed: limit, loaded: 'bounded', warmUp }),
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

export const openaiLlmProvider = Object.freeze<Provider<'llm', OpenaiLlmConfig>>({
  capability: 'llm',
  type: TYPE,
  config: openaiLlmConfig,
  limits: ({ timeout, load_timeout }) => ({
    identify: timeout,
    generate: timeout,
    loaded: 'bounded',
    warmUp: load_timeout + timeout,
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
