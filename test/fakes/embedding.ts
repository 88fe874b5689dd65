// An in-process embedding provider for tests. It fulfils the contract without a socket.
import { setTimeout as sleep } from 'node:timers/promises';
import type { VaultgraphError } from '../../src/base/errors.ts';
import type { EmbeddingInput, EmbeddingProvider, EmbeddingPurpose } from '../../src/contracts/embedding.ts';
import type { ProviderCall } from '../../src/contracts/provider-call.ts';
import {
  checkRequest,
  describeFake,
  embedTexts,
  type FakeSettings,
  identityOf,
  sentText,
  USUAL_SETTINGS,
} from './embedding-answers.ts';
import { providerFailure } from './provider-failure.ts';

export type { FakeSettings };

export interface FakeRequest {
  /** As sent, with their prefixes. */
  readonly texts: readonly string[];
  readonly purpose: EmbeddingPurpose;
  readonly priority: ProviderCall['priority'];
}

export interface FakeEmbedding {
  readonly provider: EmbeddingProvider;
  /** Changes the settings from the next request on. */
  become(settings: Partial<FakeSettings>): void;
  /** Each of the next requests of any kind fails with one of these; undefined lets one succeed. */
  failNext(...failures: readonly (VaultgraphError | undefined)[]): void;
  /** As `failNext`, for requests of `embed` only. */
  failNextEmbed(...failures: readonly (VaultgraphError | undefined)[]): void;
  /** Changes the settings at the nth request of `embed` from now on, before it is answered. */
  becomeAt(nth: number, settings: Partial<FakeSettings>): void;
  /** The requests of `embed` in the order they arrived, including failed ones. */
  readonly requests: readonly FakeRequest[];
  /** The most requests of `embed` that were under way at a time. */
  mostUnderWay(): number;
  /** How often each of the other methods was called. */
  readonly requested: Readonly<Record<'identify' | 'loaded' | 'warmUp', number>>;
}

export function fakeEmbedding(settings: Partial<FakeSettings> = {}): FakeEmbedding {
  let now: FakeSettings = { ...USUAL_SETTINGS, ...settings };
  const requests: FakeRequest[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const requested = { identify: 0, loaded: 0, warmUp: 0 };
  const failures: (VaultgraphError | undefined)[] = [];
  const embedFailures: (VaultgraphError | undefined)[] = [];
  const changes = new Map<number, Partial<FakeSettings>>();

  const answer = async (signal: AbortSignal, call?: ProviderCall, due = failures): Promise<void> => {
    signal.throwIfAborted();
    if (call !== undefined) begin(call);
    if (now.hang) await sleep(2 ** 31 - 1, undefined, { signal, ref: false });
    if (now.delayMs > 0) await sleep(now.delayMs, undefined, { signal });
    const failure = due.shift() ?? (due === failures ? undefined : failures.shift());
    if (failure !== undefined) throw failure;
    if (now.down) throw providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' }, describeFake(now));
    if (call !== undefined) call.trace.servedBy = servedBy(now);
  };

  const provider: EmbeddingProvider = Object.freeze({
    get type() {
      return now.type;
    },
    get model() {
      return now.model;
    },
    get endpoint() {
      return now.endpoint;
    },
    get batch() {
      return now.batch;
    },
    get contextTokens() {
      return now.contextTokens;
    },
    reportsTokens: false,
    identify: async (call: ProviderCall, signal: AbortSignal) => {
      requested.identify += 1;
      await answer(signal, call);
      return identityOf(now);
    },
    embed: async (
      inputs: readonly EmbeddingInput[],
      purpose: EmbeddingPurpose,
      call: ProviderCall,
      signal: AbortSignal,
    ) => {
      signal.throwIfAborted();
      if (inputs.length === 0) return { succeeded: [], failed: [] };
      const texts = inputs.map((input) => sentText(input, purpose, now));
      checkRequest(inputs, texts, now);
      requests.push({ texts, purpose, priority: call.priority });
      now = { ...now, ...changes.get(requests.length) };
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await answer(signal, call, embedFailures).finally(() => {
        underWay -= 1;
      });
      return embedTexts(inputs, texts, now);
    },
    loaded: async (signal: AbortSignal) => {
      requested.loaded += 1;
      await answer(signal);
      return now.loaded;
    },
    warmUp: async (signal: AbortSignal) => {
      requested.warmUp += 1;
      await answer(signal);
      if (now.loaded !== undefined) now = { ...now, loaded: true };
    },
  });
  return {
    provider,
    requests,
    mostUnderWay: () => mostUnderWay,
    requested,
    become: (changed) => {
      now = { ...now, ...changed };
    },
    failNext: (...next) => {
      failures.push(...next);
    },
    failNextEmbed: (...next) => {
      embedFailures.push(...next);
    },
    becomeAt: (nth, changed) => {
      changes.set(requests.length + nth, changed);
    },
  };
}

function begin({ trace }: ProviderCall): void {
  trace.attempts += 1;
  trace.phase = 'headers';
}

const servedBy = ({ type, endpoint }: FakeSettings): string =>
  endpoint === null ? type : `${type}@${new URL(endpoint).host}`;
