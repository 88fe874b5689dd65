// Requests to an Ollama server through its package: version, installed models, loaded models.
import type { Ollama } from 'ollama';
import * as z from 'zod';
import { type Attempt, beginAttempt } from '../model-server/attempt.ts';
import { blockedEgress, inShape, isAboutOneInput, missingModel, unsuitableModel } from '../model-server/failures.ts';
import { guardedFetch } from '../model-server/send.ts';

export const TYPE = 'ollama';

/** Present for a model that another machine runs. */
const REMOTE = z.object({ remote_host: z.string().optional(), remote_model: z.string().optional() });
const VERSION = z.object({ version: z.string() });
const LOADED = z.object({ models: z.array(z.object({ name: z.string() })).nullable() });
const TAGS = z.object({ models: z.array(REMOTE.extend({ name: z.string() })).nullable() });
const SHOW = REMOTE.extend({ capabilities: z.array(z.string()).optional() });
/** The capability in Ollama's words. */
const OLLAMA_CAPABILITY = { embedding: 'embedding', llm: 'completion' } as const;

/**
 * Checks the answer's shape, because the package's types are not checked at run time. Creates one client for each call, which ends
 * with the attempt's signal and holds no socket.
 * @throws PROVIDER_*, the signal's reason
 */
export async function callOllama<T>(
  attempt: Attempt,
  shape: z.ZodType<T>,
  request: (client: Ollama) => Promise<unknown>,
): Promise<T> {
  // Loaded with the first request, so that the server starts without it.
  const { Ollama } = await import('ollama');
  const { endpoint, headers } = attempt;
  const client = new Ollama({ host: endpoint, headers: { ...headers }, fetch: guardedFetch(attempt) });
  return inShape(shape, await request(client), attempt);
}

/** One line of text for the user. @throws PROVIDER_*, the signal's reason */
export async function reachOllama(attempt: Attempt): Promise<string> {
  const { version } = await callOllama(attempt, VERSION, (client) => client.version());
  return `Ollama ${version} answers at ${attempt.endpoint}`;
}

/** Whether the model is in the server's memory. Loads nothing. @throws PROVIDER_*, the signal's reason */
export async function isLoaded(attempt: Attempt): Promise<boolean> {
  const { models } = await callOllama(attempt, LOADED, (client) => client.ps());
  return (models ?? []).some(({ name }) => isSameModel(name, attempt.model));
}

/** The names of the installed models that have the capability and run on that machine. Loads nothing. @throws PROVIDER_* */
export async function installedModels(
  capability: keyof typeof OLLAMA_CAPABILITY,
  endpoint: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const attempt = () => beginAttempt({ capability, provider: TYPE, endpoint, model: '', headers: {} }, signal);
  const { models } = await callOllama(attempt(), TAGS, (client) => client.list());
  const names: string[] = [];
  for (const { name, ...listed } of models ?? []) {
    const shown = await callOllama(attempt(), SHOW, (client) => client.show({ model: name }));
    const isLocal = [listed, shown].every(({ remote_host, remote_model }) => !remote_host && !remote_model);
    if (isLocal && shown.capabilities?.includes(OLLAMA_CAPABILITY[capability])) names.push(name);
  }
  return names;
}

/** The part of a name that Ollama's own list omits. */
const DEFAULT_REGISTRY = /^(?:registry\.ollama\.ai\/)?(?:library\/)?/;
const DEFAULT_TAG = ':latest';

/** Ignores case, the default registry and the default tag. */
const isSameModel = (one: string, other: string): boolean => fullName(one) === fullName(other);

function fullName(name: string): string {
  const short = name.toLowerCase().replace(DEFAULT_REGISTRY, '');
  return /:[^/]*$/.test(short) ? short : short + DEFAULT_TAG;
}

/** How long a check stays valid: within an index job this saves a request for every request. */
const MAX_AGE_MS = 2_000;

const DIGESTS = z.object({
  models: z.array(REMOTE.extend({ name: z.string(), digest: z.string().min(1) })).nullable(),
});
const SHOWN_MODEL = REMOTE.extend({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});

export interface VettedModel {
  readonly digest: string;
  /** The full length of its vectors; absent where the server does not report it. */
  readonly dims?: number;
  /** The most tokens that it can read; absent where the server does not report it. */
  readonly contextTokens?: number;
  /** What it can embed beside text, which is not used. */
  readonly media: readonly string[];
}

/** By Ollama's names of the capabilities. */
const MEDIA: Readonly<Record<string, string>> = { vision: 'images', audio: 'audio' };

/** The reasons for refusing a model, by Ollama's names of the capabilities. */
const LACKING = { embedding: 'it cannot embed', completion: 'it cannot chat' } as const;

interface Demands {
  readonly model: string;
  readonly allow_remote: boolean;
}

/** Checks the model of one provider. */
export class ModelVetting {
  readonly #demands: Demands;
  readonly #capability: keyof typeof LACKING;
  #latest: { readonly model: VettedModel; readonly atMs: number } | undefined;

  constructor(demands: Demands, capability: keyof typeof LACKING) {
    this.#demands = demands;
    this.#capability = capability;
  }

  /** Asks the server. @throws PROVIDER_*, EGRESS_BLOCKED */
  async vet(attempt: Attempt): Promise<VettedModel> {
    try {
      const listed = await findModel(attempt);
      this.#refuseRemote(listed, attempt);
      const latest = this.#latest?.model;
      const model = latest?.digest === listed.digest ? latest : await this.#inspect(listed.digest, attempt);
      this.#latest = { model, atMs: performance.now() };
      return model;
    } catch (thrown) {
      this.#latest = undefined;
      throw thrown;
    }
  }

  /** Asks the server unless it was asked within the last two seconds. @throws PROVIDER_*, EGRESS_BLOCKED */
  async vetIfStale(attempt: Attempt): Promise<VettedModel> {
    const latest = this.#latest;
    return latest !== undefined && performance.now() - latest.atMs < MAX_AGE_MS ? latest.model : this.vet(attempt);
  }

  /** Works with the vetted model. After a failure that is not of one input, another server may have taken the endpoint over. */
  async use<T>(attempt: Attempt, work: (model: VettedModel) => Promise<T>): Promise<T> {
    try {
      return await work(await this.vetIfStale(attempt));
    } catch (thrown) {
      if (!isAboutOneInput(thrown)) this.#latest = undefined;
      throw thrown;
    }
  }

  /** One line of text for the user. */
  describe({ digest, ...more }: { readonly digest?: string | null; readonly dims?: number }): string {
    const dims = more.dims === undefined ? '' : `, ${more.dims} dimensions`;
    const media = this.#latest?.model.media ?? [];
    const notice = media.length === 0 ? '' : `; it also reads ${media.join(' and ')}, and is used for text only`;
    return `${this.#demands.model} is installed (${digest?.slice(0, 12)}${dims})${notice}`;
  }

  #refuseRemote({ remote_host, remote_model }: Remote, attempt: Attempt): void {
    const isRemote = Boolean(remote_host) || Boolean(remote_model);
    if (isRemote && !this.#demands.allow_remote) throw blockedEgress(remote_host || 'another machine', attempt);
  }

  /** Called once for each digest: its model never changes. */
  async #inspect(digest: string, attempt: Attempt): Promise<VettedModel> {
    const shown = await callOllama(attempt, SHOWN_MODEL, (client) => client.show({ model: this.#demands.model }));
    this.#refuseRemote(shown, attempt);
    // Servers that report no capabilities are older than models without this one.
    if (shown.capabilities?.includes(this.#capability) === false)
      throw unsuitableModel(LACKING[this.#capability], attempt, shown.capabilities);
    const info = shown.model_info ?? {};
    const [dims, contextTokens] = [lengthOf('embedding', info), lengthOf('context', info)];
    const media =
      this.#capability === 'embedding' ? (shown.capabilities ?? []).flatMap((name) => MEDIA[name] ?? []) : [];
    return {
      digest,
      media,
      ...(dims === undefined ? {} : { dims }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    };
  }
}

type Remote = z.infer<typeof REMOTE>;

/** @throws PROVIDER_MODEL_MISSING */
async function findModel(attempt: Attempt) {
  const { models } = await callOllama(attempt, DIGESTS, (client) => client.list());
  const listed = models?.find(({ name }) => isSameModel(name, attempt.model));
  if (listed !== undefined) return listed;
  const installed = (models ?? []).map(({ name }) => name);
  throw missingModel(attempt, installed);
}

/** The key contains the architecture, because parts of a model, such as one for images, have keys with the same ending. */
function lengthOf(what: 'embedding' | 'context', info: Readonly<Record<string, unknown>>): number | undefined {
  const length = info[`${info['general.architecture']}.${what}_length`];
  return typeof length === 'number' && Number.isSafeInteger(length) && length > 0 ? length : undefined;
}
