// Provides a fake provider with all its layers and the events that they report.
import type { VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { newTrace, type ProviderCall } from '../../../src/contracts/provider-call.ts';
import {
  type EmbeddingParts,
  type Resilient,
  resilientEmbedding,
} from '../../../src/lifecycle/resilience/model-client.ts';
import { type FakeEmbedding, fakeEmbedding } from '../../fakes/embedding.ts';
import type { FakeSettings } from '../../fakes/embedding-answers.ts';
import { type HandClock, handClock } from './hand-clock.ts';

export const never = new AbortController().signal;

/** Somebody waits for it, and has time. */
export function callOf(some: Partial<ProviderCall> = {}): ProviderCall {
  return { priority: 'interactive', msLeft: () => 55_000, onWait: () => undefined, trace: newTrace(), ...some };
}

export const jobCall = (some: Partial<ProviderCall> = {}): ProviderCall =>
  callOf({ priority: 'background', msLeft: () => Number.POSITIVE_INFINITY, ...some });

export async function thrownBy(work: Promise<unknown>): Promise<VaultgraphError> {
  const [ended] = await Promise.allSettled([work]);
  if (ended.status === 'rejected') return ended.reason;
  throw new Error('it did not fail');
}

export interface UnderTest extends Resilient<EmbeddingProvider> {
  readonly fake: FakeEmbedding;
  /** Moves by hand; the limits of calls are real time all the same. */
  readonly clock: HandClock;
  readonly counted: string[];
  /** Events, in order. */
  readonly logged: { readonly event: string; readonly fields: Record<string, unknown> }[];
  answered(): number;
  embed(call?: ProviderCall, signal?: AbortSignal): ReturnType<EmbeddingProvider['embed']>;
}

export interface Setting extends Partial<Omit<EmbeddingParts, 'limits' | 'settings' | 'hooks'>> {
  readonly settings?: Partial<EmbeddingParts['settings']>;
  readonly limits?: Partial<EmbeddingParts['limits']>;
  readonly hooks?: Partial<EmbeddingParts['hooks']>;
  /** Behind the fake. */
  readonly others?: readonly EmbeddingProvider[];
}

export const OFF = { enabled: false, failures: 5, cooldown: 15_000 };
const LIMITS = { identify: 2_000, embed: 2_000, loaded: 500, warmUp: 5_000 };

export function underTest(fakeSettings: Partial<FakeSettings> = {}, setting: Setting = {}): UnderTest {
  const fake = fakeEmbedding(fakeSettings);
  const clock = handClock();
  const counted: string[] = [];
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  let answered = 0;
  const { others = [], endpoints = [fake.provider, ...others], settings, limits, hooks, ...rest } = setting;
  const resilient = resilientEmbedding({
    endpoints,
    limits: { ...LIMITS, ...limits },
    settings: { retry: { attempts: 2, jobAttempts: 5 }, breaker: OFF, ...settings },
    hooks: {
      log: (_level, event, fields) => void logged.push({ event, fields: { ...fields } }),
      count: (name) => void counted.push(name),
      onAnswered: () => {
        answered += 1;
      },
      storedIdentity: async () => undefined,
      ...hooks,
    },
    clock,
    ...rest,
  });
  return {
    ...resilient,
    ...{ fake, clock, counted, logged },
    answered: () => answered,
    embed: (call = callOf(), signal = never) =>
      resilient.provider.embed([{ id: 'a', text: 'the harbour' }], 'query', call, signal),
  };
}
