// A model of the fake Ollama: its description, its load time, and whether it is loaded.
import { setTimeout as sleep } from 'node:timers/promises';
import { wordsOf } from '../text-vector.ts';

/** What happens with a request whose text contains the word, each as the real server answers. */
export type ServerPoison = 'too long' | 'nan' | 'crash' | 'rejected';

export interface ModelSettings {
  /** Default tag: `latest`. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly digest: string;
  /** Other weights give other vectors, whatever the digest says. */
  readonly weights: string;
  readonly dims: number;
  /** A token is a word or a CJK character. */
  readonly contextTokens: number;
  /** Another tokenizer. */
  readonly countTokens: (text: string) => number;
  /** What an answer reports of the tokens it counted; undefined reports nothing. */
  readonly usage: (tokens: number) => number | undefined;
  readonly architecture: string;
  readonly capabilities: readonly string[];
  /** The host of a model that runs remotely. */
  readonly remoteHost?: string;
  readonly remoteModel?: string;
  readonly loadMs: number;
  /** The time for each text. */
  readonly textMs: number;
  /** The time for each request to embed, and for each token in it; computed one request at a time. */
  readonly requestMs: number;
  readonly readMs: number;
  /** The time for each token of an answer. */
  readonly tokenMs: number;
  readonly poison: Readonly<Record<string, ServerPoison>>;
  /** Whether it cuts a text or prompt that is too long whatever the request says, as older servers do. */
  readonly alwaysCuts: boolean;
}

export interface Model extends ModelSettings {
  /** With its tag. */
  readonly fullName: string;
  readonly modifiedAt: string;
  /** Resolves after the time that a request with these tokens takes. */
  compute(tokens: number, closed: AbortSignal): Promise<void>;
  isLoaded(): boolean;
  isLoading(): boolean;
  /** How often it was loaded. */
  loads(): number;
  unload(): void;
  /**
   * Resolves when the model is loaded with these options. Other options reload it, as on the real server.
   * A load belongs to the request that started it, and is cancelled with it.
   */
  load(options: unknown, closed: AbortSignal): Promise<void>;
}

export const DIGEST_1 = '11'.repeat(32);
export const DIGEST_2 = '22'.repeat(32);

const USUAL: ModelSettings = {
  name: 'embeddinggemma',
  digest: DIGEST_1,
  weights: '',
  dims: 64,
  contextTokens: 2_048,
  countTokens: (text) => wordsOf(text).length,
  usage: (tokens) => tokens,
  architecture: 'gemma3',
  capabilities: ['embedding'],
  loadMs: 0,
  textMs: 0,
  requestMs: 0,
  readMs: 0,
  tokenMs: 0,
  poison: {},
  alwaysCuts: false,
};

/** A chat model. */
export const CHATTING: Partial<ModelSettings> = {
  name: 'llama3.2',
  digest: '33'.repeat(32),
  contextTokens: 131_072,
  architecture: 'llama',
  capabilities: ['completion', 'tools'],
};

/** Options that affect a model's memory; the others may change with each request. */
const OF_THE_RUNNER = ['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'use_mmap', 'num_thread'];

const runnerOptions = (options: unknown): string =>
  JSON.stringify(Object.entries(options ?? {}).filter(([key]) => OF_THE_RUNNER.includes(key)));

export const fullNameOf = (name: string): string => (name.includes(':') ? name : `${name}:latest`).toLowerCase();

export function createModel(settings: Partial<ModelSettings>): Model {
  const known = { ...USUAL, ...settings };
  let loadedWith: string | undefined;
  let loads = 0;
  let loading: Promise<void> | undefined;

  const load = async (options: unknown, closed: AbortSignal): Promise<void> => {
    const wanted = runnerOptions(options);
    while (loadedWith !== wanted) {
      if (loading === undefined) {
        loadedWith = undefined;
        loading = sleep(known.loadMs, undefined, { signal: closed })
          .then(() => {
            loadedWith = wanted;
            loads += 1;
          })
          .catch(() => undefined)
          .finally(() => {
            loading = undefined;
          });
      }
      await loading;
      closed.throwIfAborted();
    }
  };

  let freeAt = 0;
  const compute = async (tokens: number, closed: AbortSignal): Promise<void> => {
    const ms = known.requestMs + tokens * known.readMs;
    if (ms === 0) return;
    const now = performance.now();
    freeAt = Math.max(freeAt, now) + ms;
    await sleep(freeAt - now, undefined, { signal: closed });
  };

  return Object.freeze({
    ...known,
    compute,
    fullName: fullNameOf(known.name),
    modifiedAt: '2026-11-01T10:00:00.123456789Z',
    isLoaded: () => loadedWith !== undefined,
    isLoading: () => loading !== undefined,
    loads: () => loads,
    unload: () => {
      loadedWith = undefined;
    },
    load,
  });
}
