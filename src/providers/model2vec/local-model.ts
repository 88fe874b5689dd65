// What the providers of models in local folders share: a model is read at its first use and again when its files change.
import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import { untilAborted } from '../../base/async/waits.ts';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import { type EmbeddingIdentity, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { type ProviderCall, type ProviderTrace, probeCall } from '../../contracts/provider-call.ts';
import { checkTexts, type ModelTraits, prefixed } from '../model-server/model-families.ts';

export interface LocalModel<M> {
  isLoaded(): boolean;
  /**
   * The model as its files are now. An abort ends only the wait: the model is still read, for the next call.
   * @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE, SHUTTING_DOWN; the signal's reason
   */
  load(signal: AbortSignal, trace?: ProviderTrace): Promise<M>;
  /** Gives its memory back until the next use. */
  end(): void;
  close(): void;
}

export interface ModelReader<M> {
  /** A text that differs once one of the files is another. */
  readonly stamp: () => Promise<string>;
  /** @param ending aborts once the model is of no more use */
  readonly read: (ending: AbortSignal) => Promise<M>;
  readonly isAlive?: (model: M) => boolean;
  readonly onRead?: () => void;
}

interface Reading<M> {
  readonly stamp: string;
  readonly ending: AbortController;
  readonly model: Promise<M>;
  loaded: M | undefined;
}

/** Reads it once for all concurrent callers. */
export function createLocalModel<M>({ stamp, read, isAlive = () => true, onRead }: ModelReader<M>): LocalModel<M> {
  const closing = new AbortController();
  let reading: Reading<M> | undefined;

  function end(): void {
    reading?.ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    reading = undefined;
  }

  async function load(signal: AbortSignal, trace?: ProviderTrace): Promise<M> {
    signal.throwIfAborted();
    closing.signal.throwIfAborted();
    const now = await untilAborted(stamp(), signal, closing.signal);
    if (reading?.loaded !== undefined && (reading.stamp !== now || !isAlive(reading.loaded))) end();
    // A caller that waits for what the files were still gets it.
    if (reading?.stamp !== now) reading = begin(now);
    if (reading.loaded !== undefined) return reading.loaded;
    if (trace !== undefined) Object.assign(trace, { phase: 'load', coldStart: true });
    const model = await waitFor(reading, signal);
    if (trace !== undefined) Object.assign(trace, { phase: 'body', coldStart: false });
    return model;
  }

  /** A failed reading is forgotten, so that the next call tries again. */
  function begin(now: string): Reading<M> {
    const ending = new AbortController();
    const model = read(AbortSignal.any([ending.signal, closing.signal]));
    const started: Reading<M> = { stamp: now, ending, model, loaded: undefined };
    started.model.then(
      (loaded) => {
        started.loaded = loaded;
        if (reading === started) onRead?.();
        else ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      },
      () => {
        if (reading === started) reading = undefined;
      },
    );
    return started;
  }

  function close(): void {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    end();
  }

  const isLoaded = (): boolean => reading?.loaded !== undefined && isAlive(reading.loaded);
  return Object.freeze({ isLoaded, load, end, close });
}

/** Gives each of several waiting callers an error of its own. */
async function waitFor<M>({ model }: Reading<M>, signal: AbortSignal): Promise<M> {
  try {
    return await untilAborted(model, signal);
  } catch (thrown) {
    throw thrown instanceof VaultgraphError && !signal.aborted ? repeatFailure(thrown) : thrown;
  }
}

type Loading<M> = Pick<LocalModel<M>, 'load' | 'isLoaded'>;

/** The model of a folder for one call, whose trace says so. @param type of the provider */
export async function loadFor<M>(
  type: string,
  { load }: Loading<M>,
  { trace }: ProviderCall,
  signal: AbortSignal,
): Promise<M> {
  signal.throwIfAborted();
  trace.attempts += 1;
  const loaded = await load(signal, trace);
  trace.servedBy = type;
  return loaded;
}

export const loadedMethods = <M>({ load, isLoaded }: Loading<M>) => ({
  loaded: async (signal: AbortSignal): Promise<boolean> => {
    signal.throwIfAborted();
    return isLoaded();
  },
  warmUp: async (signal: AbortSignal): Promise<void> => void (await load(signal)),
});

type VectorOf = (text: string) => Promise<Float32Array | VaultgraphError>;
type Facts = Pick<EmbeddingProvider, 'type' | 'model' | 'batch' | 'contextTokens' | 'reportsTokens'>;
type Weights = Pick<EmbeddingIdentity, 'dims' | 'truncation'> & { readonly digest: string };

export interface LocalEmbedding<M> extends Facts {
  readonly prefixes: (model: M) => Pick<ModelTraits, 'queryPrefix' | 'documentPrefix'>;
  readonly weights: (model: M) => Weights;
  /** Calls `each` with what makes the vector of a text, or the failure that concerns only this text. */
  readonly embedding: (
    model: M,
    each: (vectorOf: VectorOf) => Promise<void>,
    call: ProviderCall,
    signal: AbortSignal,
  ) => Promise<void>;
}

export function createLocalEmbedding<M>(
  { prefixes, weights, embedding, ...facts }: LocalEmbedding<M>,
  local: Loading<M>,
): EmbeddingProvider {
  const { type, model } = facts;

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const loaded = await loadFor(type, local, call, signal);
    const { queryPrefix, documentPrefix } = prefixes(loaded);
    const { digest, dims, truncation } = weights(loaded);
    return { provider: type, model, queryPrefix, documentPrefix, digest, samples: [], dims, truncation };
  }

  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    signal.throwIfAborted();
    if (inputs.length === 0) return { succeeded: [], failed: [] };
    checkTexts(inputs);
    const loaded = await loadFor(type, local, call, signal);
    const succeeded: { id: string; result: Float32Array }[] = [];
    const failed: { id: string; error: VaultgraphError }[] = [];
    const each = async (vectorOf: VectorOf): Promise<void> => {
      for (const input of inputs) {
        const result = await vectorOf(prefixed(input, purpose, prefixes(loaded)));
        if (result instanceof VaultgraphError) failed.push({ id: input.id, error: result });
        else succeeded.push({ id: input.id, result });
      }
    };
    await embedding(loaded, each, call, signal);
    return { succeeded, failed };
  };

  return Object.freeze({ ...facts, endpoint: null, identify, embed, ...loadedMethods(local) });
}

/** A model of another language may know none of the sentences, which is not an error. @throws PROVIDER_* */
export async function embedSamples(capability: EmbeddingProvider, signal: AbortSignal): Promise<string> {
  const inputs = SAMPLE_SENTENCES.map((text, at) => ({ id: `${at}`, text }));
  const { succeeded } = await capability.embed(inputs, 'document', probeCall(), signal);
  return `embeds ${succeeded.length} of ${inputs.length} sample sentences`;
}

/** The limit is that of model servers. */
const MAX_TIMEOUT_MS = 290_000;

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

/** The folder, absolute; a leading `~` is expanded. */
export const modelFolder = z
  .string()
  .trim()
  .min(1)
  .transform(expandHome)
  .refine(isAbsolute, 'the path of a folder, absolute or from `~/`')
  .transform(normalize);

/** The keys of the config of a model that embeds. */
export const localEmbeddingShape = {
  model: modelFolder,
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).default(30_000),
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
};
