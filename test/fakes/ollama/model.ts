// A model of the fake Ollama: its description, its load time, and whether it is loaded.
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of a request with a text that holds the word, each answered as the real server does. */
export type ServerPoison = 'too long' | 'nan' | 'crash' | 'rejected';

export interface ModelSettings {
  /** Without a tag, `latest` is meant. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly digest: string;
  readonly dims: number;
  /** A token is a word, or a CJK character. */
  readonly contextTokens: number;
  readonly architecture: string;
  readonly capabilities: readonly string[];
  /** A model that is served elsewhere. */
  readonly remoteHost?: string;
  readonly remoteModel?: string;
  readonly loadMs: number;
  /** What each text costs. */
  readonly textMs: number;
  /** What each token of an answer costs. */
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
   * Resolves when it is in memory with these options. Others have it loaded anew, as the real server does.
   * A load is tied to the request that began it: its end is the load's end.
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

/** One that chats. */
export const CHATTING: Partial<ModelSettings> = {
  name: 'llama3.2',
  digest: '33'.repeat(32),
  contextTokens: 131_072,
  architecture: 'llama',
  capabilities: ['completion', 'tools'],
};

/** Options that the memory of a model depends on; the others may change from one request to the next. */
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
