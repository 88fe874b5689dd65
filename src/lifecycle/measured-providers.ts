// Takes the time that requests to providers with a model need, as their caller waits for it.
import type { Capabilities } from '../contracts/capability.ts';
import { nameOf } from './present-capabilities.ts';
import type { LoadedProvider } from './probed-provider.ts';
import { BREAKER_OPEN } from './resilience/breaker.ts';

/** Milliseconds of one request, answered or failed. */
export type Took = (capability: 'embedding' | 'llm', ms: number) => void;

/** Frozen twins of the providers that a model works for, each telling of its requests. */
export function measuredProviders({ embedding, llm }: Capabilities, took: Took): Partial<Capabilities> {
  return {
    ...(embedding && { embedding: measuredEmbedding(embedding, took) }),
    ...(llm && { llm: measured(llm, 'generate', (ms) => took('llm', ms)) }),
  };
}

function measuredEmbedding(embedding: NonNullable<Capabilities['embedding']>, took: Took) {
  const observe = (ms: number): void => took('embedding', ms);
  const main = measured(embedding, 'embed', observe);
  if (main.fallback === undefined) return main;
  const { provider, useOn } = main.fallback;
  return Object.freeze({ ...main, fallback: Object.freeze({ provider: measured(provider, 'embed', observe), useOn }) });
}

function measured<T extends object>(provider: T, method: keyof T, observe: (ms: number) => void): T {
  const ask = provider[method] as (...args: unknown[]) => Promise<unknown>;
  const timed = async (...args: unknown[]): Promise<unknown> => {
    const began = performance.now();
    return ask(...args).finally(() => observe(performance.now() - began));
  };
  return Object.freeze({ ...provider, [method]: timed });
}

/** By capability, 1 while its breaker is open. */
export function breakerStates(providers: readonly LoadedProvider[]): (readonly [value: number, capability: string])[] {
  return providers
    .filter(({ model }) => model !== undefined)
    .map((each) => [each.notes().some((note) => note.startsWith(BREAKER_OPEN)) ? 1 : 0, nameOf(each.section)] as const);
}
