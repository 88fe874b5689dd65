// A model of the fake Ollama: its description, its load time, and whether it is loaded.
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens with a request whose text contains the word, each as the real server answers. */
export type ServerPoison = 'too long' | 'nan' | 'crash' | 'rejected';

export interface ModelSettings {
  /** Default tag: `latest`. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly digest: string;
  readonly dims: number;
  /** A token is a word or a CJK character. */
  readonly contextTokens: number;
  readonly architecture: string;
  readonly capabilities: readonly string[];
  /** The host of a model that runs remotely. */
  readonly remoteHost?: string;
  readonly remoteModel?: string;
  readonly loadMs: number;
  /** The time for each text. */
  readonly textMs: number;
  /** The time for each token of an answer. */
  readonly tokenMs: number;
  readonly poison: Readonly<Record<string, ServerPoison>>;
}

export interface Model extends ModelSettings {
  /** With its tag. */
  readonly fullName: string;
  readonly modifiedAt: string;
  isLoaded(): boolean;
  isLoading(): boolean;
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
  dims: 64,
  contextTokens: 2_048,
  architecture: 'gemma3',
  capabilities: ['embedding'],
  loadMs: 0,
  textMs: 0,
  tokenMs: 0,
  poison: {},
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
  let loading: Promise<void> | undefined;

  const load = async (options: unknown, closed: AbortSignal): Promise<void> => {
    const wanted = runnerOptions(options);
    while (loadedWith !== wanted) {
      if (loading === undefined) {
        loadedWith = undefined;
        loading = sleep(known.loadMs, undefined, { signal: closed })
          .then(() => {
            loadedWith = wanted;
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

  return Object.freeze({
    ...known,
    fullName: fullNameOf(known.name),
    modifiedAt: '2026-11-01T10:00:00.123456789Z',
    isLoaded: () => loadedWith !== undefined,
    isLoading: () => loading !== undefined,
    unload: () => {
      loadedWith = undefined;
    },
    load,
  });
}
