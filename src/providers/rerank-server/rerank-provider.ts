// The rerank provider for servers: config section, requests, limits, probe, opening. Opening uses no network.
import * as z from 'zod';
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { Provider } from '../../contracts/provider.ts';
import { type ProviderCall, probeCall } from '../../contracts/provider-call.ts';
import { type RerankProvider, SAMPLE_RERANK } from '../../contracts/rerank.ts';
import { type Attempt, beginAttempt, endpointSchema, type ModelServer } from '../model-server/attempt.ts';
import { badResponse, inShape } from '../model-server/failures.ts';
import {
  apiKey,
  areValid,
  checkKey,
  checkModelServer,
  headersFor,
  mayBeSameModel,
  rerankShape,
} from '../model-server/model-config.ts';
import { type ProbeSteps, probeLevels } from '../model-server/probe-levels.ts';
import { sendJson } from '../model-server/send.ts';

/** `cohere`: Cohere, Jina, llama.cpp, vLLM; `tei`: Text Embeddings Inference. */
const WIRES = ['cohere', 'tei'] as const;
type Wire = (typeof WIRES)[number];

interface Score {
  readonly index: number;
  readonly score: number | null;
}

interface WireForm {
  body(query: string, documents: readonly string[], model: string): object;
  /** @throws PROVIDER_BAD_RESPONSE */
  scores(answer: unknown, attempt: Attempt): readonly Score[];
}

const INDEX = z.int().min(0);
/** Servers write null where a number is not finite. */
const SCORE = z.number().nullable();
const COHERE = z.object({
  model: z.string().nullish().catch(undefined),
  results: z.array(z.object({ index: INDEX, relevance_score: SCORE })),
});
const TEI = z.array(z.object({ index: INDEX, score: SCORE }));

const WIRE_FORMS: Readonly<Record<Wire, WireForm>> = Object.freeze({
  cohere: {
    body: (query, documents, model) => ({ model, query, documents, top_n: documents.length }),
    scores: (answer, attempt) => {
      const { model, results } = inShape(COHERE, answer, attempt);
      // Some servers answer with whatever model they have loaded.
      if (model && !mayBeSameModel(model, attempt.model))
        throw badResponse(`an answer of ${attempt.model}`, `one of ${model}`, attempt);
      return results.map(({ index, relevance_score: score }) => ({ index, score }));
    },
  },
  tei: {
    body: (query, texts) => ({ query, texts }),
    scores: (answer, attempt) => inShape(TEI, answer, attempt),
  },
});

/** The scores in the order of the documents. @throws PROVIDER_BAD_RESPONSE unless each document has one finite score */
function inOrder(scores: readonly Score[], count: number, attempt: Attempt): readonly number[] {
  if (scores.length !== count) throw badResponse(`${count} scores`, `${scores.length}`, attempt);
  const byIndex = new Map(scores.map(({ index, score }) => [index, score]));
  return Array.from({ length: count }, (_, at) => {
    const score = byIndex.get(at);
    if (score === undefined) throw badResponse(`each index from 0 to ${count - 1} once`, 'others', attempt);
    if (score === null || !Number.isFinite(score))
      throw badResponse('finite scores', 'a score that is not finite', attempt);
    return score;
  });
}

const TYPE = 'rerank-server';
/** The name of a model that the config does not name. */
const UNNAMED = 'unnamed';
const PATH = '/rerank';

const rerankConfig = z
  .strictObject({
    ...rerankShape(),
    wire: z.enum(WIRES),
    /** `/rerank` is appended to it; many people paste the whole URL. */
    endpoint: endpointSchema().transform((url) => url.replace(/\/rerank$/, '')),
    api_key: apiKey(),
  })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    checkKey(config, context);
    if (areValid(['wire', 'model'], context) && config.wire === 'cohere' && config.model === undefined)
      context.addIssue({ code: 'custom', path: ['model'], message: 'wire: cohere needs the name of a model' });
  });

type RerankConfig = z.infer<typeof rerankConfig>;

export const rerankServerProvider = Object.freeze<Provider<'rerank', RerankConfig>>({
  capability: 'rerank',
  type: TYPE,
  config: rerankConfig,
  limits: ({ timeout }) => ({ identify: timeout, rerank: timeout, loaded: 'bounded', warmUp: timeout }),
  open: async (config) => {
    const { endpoint, model = UNNAMED, allow_remote: allowRemote } = config;
    const headers = headersFor(config);
    const server: ModelServer = { capability: 'rerank', provider: TYPE, endpoint, model, headers, allowRemote };
    const capability = createReranker(server, config);
    return Object.freeze({
      capability,
      probe: (signal: AbortSignal) => probeLevels(probeSteps(capability, signal)),
      close: async () => undefined,
    });
  },
});

function createReranker(
  server: ModelServer,
  { wire, top, weight, context: contextTokens }: RerankConfig,
): RerankProvider {
  const { provider: type, model, endpoint } = server;
  const form = WIRE_FORMS[wire];

  async function rerank(query: string, documents: readonly string[], call: ProviderCall, signal: AbortSignal) {
    signal.throwIfAborted();
    if (documents.length === 0) return [];
    const attempt = beginAttempt(server, signal, call, [query, ...documents]);
    // Parsers of some servers stop at an unpaired surrogate.
    const [question, ...texts] = [query, ...documents].map((text) => text.toWellFormed());
    const answer = await sendJson({ path: PATH, body: form.body(question ?? '', texts, model) }, attempt);
    return inOrder(form.scores(answer, attempt), documents.length, attempt);
  }

  const sample = async (call: ProviderCall, signal: AbortSignal): Promise<void> => {
    await rerank(SAMPLE_RERANK.query, SAMPLE_RERANK.documents, call, signal);
  };

  async function loaded(signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted();
  }

  return Object.freeze({
    type,
    model,
    endpoint,
    top,
    weight,
    contextTokens,
    rerank,
    loaded,
    /** No server reports more than that it answers. */
    identify: async (call: ProviderCall, signal: AbortSignal) => {
      await sample(call, signal);
      return { provider: type, model };
    },
    warmUp: (signal: AbortSignal) => sample(probeCall(), signal),
  });
}

/** The levels that a failure of the sample belongs to; any other failure is one of its answer. */
const FAILED_LEVELS: Readonly<Partial<Record<ErrorCode, 'reachable' | 'model'>>> = {
  EGRESS_BLOCKED: 'reachable',
  PROVIDER_UNAVAILABLE: 'reachable',
  PROVIDER_TIMEOUT: 'reachable',
  PROVIDER_AUTH_FAILED: 'reachable',
  PROVIDER_ENDPOINT_UNSUPPORTED: 'reachable',
  PROVIDER_MODEL_MISSING: 'model',
  PROVIDER_MODEL_UNSUITABLE: 'model',
};

/** These servers have no list of models in common, so one request shows all that can be known. */
function probeSteps(provider: RerankProvider, signal: AbortSignal): ProbeSteps {
  const { query, documents } = SAMPLE_RERANK;
  let asked: Promise<readonly number[]> | undefined;
  const sample = () => {
    asked ??= provider.rerank(query, documents, probeCall(), signal);
    return asked;
  };
  const throwAt = async (level: 'reachable' | 'model'): Promise<void> => {
    const [outcome] = await Promise.allSettled([sample()]);
    if (outcome.status === 'fulfilled' || !(outcome.reason instanceof VaultgraphError)) return;
    const failure: VaultgraphError = outcome.reason;
    if (FAILED_LEVELS[failure.code] === level) throw failure;
  };
  return {
    reach: async () => {
      await throwAt('reachable');
      return `a server answers at ${provider.endpoint}`;
    },
    findModel: async () => {
      await throwAt('model');
      return provider.model === UNNAMED ? 'with the model it has loaded' : `it accepts ${provider.model}`;
    },
    isLoaded: async () => undefined,
    answer: async () => `scores ${(await sample()).length} texts`,
  };
}
