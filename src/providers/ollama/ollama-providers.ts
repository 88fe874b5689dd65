// The embedding and language-model providers for Ollama: their limits, their probes and how they open. Opening uses no network.
import * as z from 'zod';
import type { EmbeddingIdentity, EmbeddingProvider } from '../../contracts/embedding.ts';
import type { LLMAnswer, LLMIdentity, LLMProvider, LLMRequest } from '../../contracts/llm.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import { type ProviderCall, probeCall } from '../../contracts/provider-call.ts';
import {
  type Attempt,
  beginAttempt,
  endpointSchema,
  endRequest,
  type ModelServer,
  reportTokens,
} from '../model-server/attempt.ts';
import { badResponse, inShape, streamedFailure, unsuitableModel } from '../model-server/failures.ts';
import {
  answerOf,
  answerSchema,
  type Completion,
  FIXED_SAMPLING,
  llmProvider,
  MAX_ANSWER_LENGTH,
  messagesOf,
  refuseTooLong,
} from '../model-server/llm-exchange.ts';
import {
  areValid,
  checkEmbeddingServer,
  checkModelServer,
  DESPITE_FAULTS,
  embeddingShape,
  failoverKey,
  llmShape,
  type ModelServerConfig,
  onePerEndpoint,
} from '../model-server/model-config.ts';
import { checkTexts, embeddingFacts, type ModelTraits, prefixed, traitsOf } from '../model-server/model-families.ts';
import { checkSampleVectors, probeLevels } from '../model-server/probe-levels.ts';
import { bodyLines, openRequest, parseJson } from '../model-server/send.ts';
import { COUNT, checkVectors, type RequestVectors, SilentCuts } from '../model-server/silent-cuts.ts';
import type { Reply } from '../model-server/transport.ts';
import {
  callOllama,
  installedModels,
  isLoaded,
  ModelVetting,
  reachOllama,
  TYPE,
  type VettedModel,
} from './ollama-client.ts';

/** Ollama's tag for a model that runs in its cloud: `x:cloud`, `x:120b-cloud`. */
const CLOUD_TAG = /:(?:.*-)?cloud$/i;

const ownKeys = () => ({
  endpoint: endpointSchema().default('http://127.0.0.1:11434'),
  /** Whether a missing model is downloaded, once in the life of the process. */
  auto_pull: z.enum(['never', 'once']).default('never'),
});

const ollamaConfig = z.strictObject({ ...embeddingShape(), ...ownKeys() }).superRefine((config, context) => {
  checkEmbeddingServer(config, context);
  refuseCloud(config, context);
}, DESPITE_FAULTS);

const ollamaLlmConfig = z
  .strictObject({ ...llmShape(), ...failoverKey(), ...ownKeys() })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    refuseCloud(config, context);
  }, DESPITE_FAULTS);

type OllamaConfig = z.infer<typeof ollamaConfig>;
type OllamaLlmConfig = z.infer<typeof ollamaLlmConfig>;

function refuseCloud(
  { model, allow_remote }: Pick<ModelServerConfig, 'model' | 'allow_remote'>,
  context: z.RefinementCtx,
): void {
  if (!areValid(['model', 'allow_remote'], context)) return;
  if (allow_remote || !CLOUD_TAG.test(model)) return;
  const message = `${model} runs off this machine; texts of notes go there only with allow_remote: true`;
  context.addIssue({ code: 'custom', path: ['model'], message });
}

function createOllamaLlm(config: OllamaLlmConfig, server: ModelServer, vetting: ModelVetting): LLMProvider {
  const { model, context } = config;
  /** The same for each request, because the server reloads the model when its settings change. */
  const settings = { ...FIXED_SAMPLING, num_ctx: context };
  /** The configured limit, or that of the model if it is less. */
  let limit = context;

  async function chat(messages: readonly object[], more: object, attempt: Attempt): Promise<Completion> {
    // A stream shows that the server is working, and closing its socket ends it. Without `think: false` some models think.
    const body = { model, messages, stream: true, think: false, options: settings, ...more };
    return readChat(await openRequest({ path: CHAT_PATH, body }, attempt), attempt);
  }

  async function answer<T>(
    request: LLMRequest<T>,
    { contextTokens = context }: VettedModel,
    attempt: Attempt,
  ): Promise<LLMAnswer<T>> {
    limit = Math.min(context, contextTokens);
    refuseTooLong(request, limit, attempt);
    const format = answerSchema(request.schema);
    const options = { ...settings, num_predict: request.maxAnswerTokens };
    // Without these two the server drops what does not fit. Older servers do so anyway.
    const noTruncation = { truncate: false, shift: false };
    const completion = await chat(messagesOf(request), { format, options, ...noTruncation }, attempt);
    return answerOf(request, completion, limit, attempt);
  }

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<LLMIdentity> {
    const { digest } = await vetting.vet(beginAttempt(server, signal, call));
    return { provider: server.provider, model, digest };
  }

  async function generate<T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal): Promise<LLMAnswer<T>> {
    const attempt = beginAttempt(server, signal, call, [request.instructions, request.prompt]);
    return vetting.use(attempt, (vetted) => answer(request, vetted, attempt));
  }

  const loaded = async (signal: AbortSignal): Promise<boolean> => isLoaded(beginAttempt(server, signal));

  /** A chat without messages only loads the model. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    const attempt = beginAttempt(server, signal);
    await vetting.vetIfStale(attempt);
    await chat([], {}, attempt);
  }

  return llmProvider(server, () => limit, { identify, generate, loaded, warmUp });
}

const CHAT_PATH = '/api/chat';

/** The model's thoughts come in a separate field, which is not read. */
const ANSWER_LINE = z.object({
  message: z.object({ content: z.string().nullish() }).nullish(),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.int().min(0).nullish(),
  eval_count: z.int().min(0).nullish(),
  error: z.unknown().optional(),
});

/**
 * A stream without its final record gives an answer without a finish reason.
 * @throws PROVIDER_*, the signal's reason
 */
async function readChat(reply: Reply, attempt: Attempt): Promise<Completion> {
  let text = '';
  let records = 0;
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(ANSWER_LINE, parseJson(line, attempt, reply.header('content-type')), attempt);
    if (record.error) throw streamedFailure(line, CHAT_PATH, attempt);
    records += 1;
    text += record.message?.content ?? '';
    if (text.length > MAX_ANSWER_LENGTH) throw badResponse(`at most ${MAX_ANSWER_LENGTH} characters`, 'more', attempt);
    if (record.done !== true) continue;
    endRequest(attempt);
    return { text, finishReason: record.done_reason ?? undefined, ...countsOf(record) };
  }
  if (records === 0) throw badResponse('a stream of records', 'an empty one', attempt);
  return { text, finishReason: undefined };
}

const countsOf = ({ prompt_eval_count, eval_count }: z.infer<typeof ANSWER_LINE>) => ({
  promptTokens: prompt_eval_count ?? undefined,
  answerTokens: eval_count ?? undefined,
});

const EMBEDDED = z.object({ embeddings: z.unknown(), prompt_eval_count: COUNT });

function createOllamaEmbedding(
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

  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    if (inputs.length === 0) return { succeeded: [], failed: [] };
    checkTexts(inputs);
    const texts = inputs.map(({ text }) => text);
    const attempt = beginAttempt(server, signal, call, texts);
    const sent = inputs.map((input) => prefixed(input, purpose, traits));
    const ids = inputs.map(({ id }) => id);
    return vetting.use(attempt, async ({ dims }) => {
      const request: RequestVectors = async (some, ids) => {
        const { embeddings, prompt_eval_count: tokens } = await requestVectors(attempt, [...some]);
        return { vectors: checkVectors(embeddings, { ids, dimensions, dims }, attempt), tokens };
      };
      // Older servers cut a text although the request forbids it.
      const embedded = await cuts.embed(sent, ids, request, attempt);
      reportTokens(embedded.tokens, attempt);
      return embedded.vectors;
    });
  };

  const loaded = async (signal: AbortSignal): Promise<boolean> => isLoaded(beginAttempt(server, signal));

  async function warmUp(signal: AbortSignal): Promise<void> {
    const attempt = beginAttempt(server, signal);
    await vetting.vetIfStale(attempt);
    await requestVectors(attempt, []);
  }

  return Object.freeze({ ...embeddingFacts(server, contextTokens), identify, embed, loaded, warmUp });
}

/** Short, because the server reads a list in memory and the caller waits for the answer before the real request. */
const LOADED_MS = 1_500;

export const ollamaEmbeddingProvider = Object.freeze<Provider<'embedding', OllamaConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: ollamaConfig,
  limits: ({ timeout: limit, load_timeout: warmUp }) => ({ identify: limit, embed: limit, loaded: LOADED_MS, warmUp }),
  endpoints: onePerEndpoint,
  installed: (endpoint, signal) => installedModels('embedding', endpoint, signal),
  open: async (config) => {
    const server = serverOf('embedding', config);
    const vetting = new ModelVetting(config, 'embedding');
    const cuts = new SilentCuts();
    const capability = createOllamaEmbedding(config, server, traitsOf(config), vetting, cuts);
    return openedOn(server, capability, vetting, async (call, signal) =>
      cuts.reportedWith(await checkSampleVectors(capability, server, call, signal)),
    );
  },
});

export const ollamaLlmProvider = Object.freeze<Provider<'llm', OllamaLlmConfig>>({
  capability: 'llm',
  type: TYPE,
  config: ollamaLlmConfig,
  limits: ({ timeout: limit, load_timeout: warmUp }) => ({
    identify: limit,
    generate: limit,
    loaded: LOADED_MS,
    warmUp,
  }),
  endpoints: onePerEndpoint,
  installed: (endpoint, signal) => installedModels('llm', endpoint, signal),
  open: async (config) => {
    const server = serverOf('llm', config);
    const vetting = new ModelVetting(config, 'completion');
    return openedOn(server, createOllamaLlm(config, server, vetting), vetting);
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
  vetting: ModelVetting,
  answer?: (call: ProviderCall, signal: AbortSignal) => Promise<string>,
): Opened<T> {
  const pull = (onProgress: (share: number) => void, signal: AbortSignal): Promise<void> =>
    pullModel(beginAttempt(server, signal), onProgress);
  const probe: Opened<T>['probe'] = (signal) => {
    const call = probeCall();
    return probeLevels({
      reach: () => reachOllama(beginAttempt(server, signal)),
      findModel: async () => vetting.describe(await capability.identify(call, signal)),
      isLoaded: () => capability.loaded(signal),
      ...(answer && { answer: () => answer(call, signal) }),
    });
  };
  return Object.freeze({
    capability,
    probe,
    close: async () => undefined,
    ...(server.autoPull === 'once' ? { pull } : {}),
  });
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
