// Probes and measures the open providers, for `status`, `startup.verify`, metrics and failures.

import { withLimit } from '../base/async/limits.ts';
import { NEVER } from '../base/async/waits.ts';
import { commandLine } from '../base/command-line.ts';
import { type Category, toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { Section } from '../config/provider-sections.ts';
import type { Capabilities } from '../contracts/capability.ts';
import type { Inspected, Opened, Probe } from '../contracts/provider.ts';
import type { ServerReport } from '../contracts/tool.ts';
import { type Guarded, lapseError } from './guard.ts';
import { guardedName } from './opened-sections.ts';
import { BREAKER_OPEN } from './resilience/breaker.ts';

type Present = ServerReport['capabilities']['present'];

/** Every provider is probed, side by side, each under the limit of a probe. @throws the signal's reason */
export function presentCapabilities(providers: readonly LoadedProvider[], signal: AbortSignal): Promise<Present> {
  return Promise.all(providers.map((provider) => presentRow(provider, signal)));
}

async function presentRow(provider: LoadedProvider, signal: AbortSignal): Promise<Present[number]> {
  const { type, model, endpoint, section } = provider;
  const { ok, detail, levels } = await provider.probe(signal);
  const notes = provider.notes();
  return {
    capability: nameOf(section),
    type,
    ok,
    detail,
    checked_at: new Date().toISOString(),
    ...(levels === undefined ? {} : { levels }),
    ...(model === undefined ? {} : { model }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** Such as `embedding`, or `embedding.fallback`; the writer shares the section of the vault. */
const nameOf = ({ provider, path }: LoadedProvider['section']): string =>
  ['vault', 'writer'].includes(provider.capability) ? provider.capability : path.join('.').replace(/^providers\./, '');

/** A start that demands answers may wait so long for them. */
const VERIFY_LIMIT_MS = 10_000;

/** @throws CONFIG_INVALID with the key and the code of every provider that does not pass its probe */
export async function verifyProviders(providers: readonly LoadedProvider[], signal: AbortSignal): Promise<void> {
  const probes = await Promise.all(providers.map(({ probe }) => probe(signal, VERIFY_LIMIT_MS)));
  const faults = providers.flatMap(({ section }, at) => {
    const { ok, detail, failure } = probes[at] ?? { ok: true, detail: '' };
    const key = section.path.join('.');
    const said = failure === undefined ? detail : `[${failure.code}] ${failure.message}`;
    return ok ? [] : [{ ...section.place, key, what: `startup.verify: ${key}: ${said}` }];
  });
  const advice = `Run \`${commandLine('doctor')}\`, which says how to fix each problem.`;
  if (faults.length > 0) throw new VaultgraphError('CONFIG_INVALID', { faults, advice });
}

/** The endpoint is the first one. */
export interface LoadedProvider extends Guarded {
  readonly section: Section;
  /** What its opt-ins do now. */
  notes(): readonly string[];
  /**
   * Never throws but for the signal's reason: a provider that fails or hangs is a probe with `ok: false`.
   * @param limitMs by default the limit for an interactive call
   */
  probe(signal: AbortSignal, limitMs?: number): Promise<Probe>;
  /** Absent if the provider has no database server. @throws its error */
  inspect?(signal: AbortSignal, limitMs: number): Promise<readonly Inspected[]>;
}

export function probedProvider(
  section: Section,
  opened: Opened<object>,
  usualLimitMs: number,
  notes: () => readonly string[] = () => [],
): LoadedProvider {
  const name = guardedName(section, opened);
  const { inspect } = opened;
  return Object.freeze({
    ...name,
    section,
    notes,
    ...(inspect && {
      inspect: (signal: AbortSignal, limitMs: number) =>
        withLimit(limitMs, (elapsedMs) => lapseError(name, 'inspect', limitMs, elapsedMs), signal, inspect),
    }),
    probe: async (signal: AbortSignal, limitMs = usualLimitMs): Promise<Probe> => {
      const lapse = (elapsedMs: number) => lapseError(name, 'probe', limitMs, elapsedMs);
      try {
        return await withLimit(limitMs, lapse, signal, async (stop) => opened.probe(stop));
      } catch (thrown) {
        signal.throwIfAborted();
        const failure = toVaultgraphError(thrown);
        return { ok: false, detail: failure.message, failure };
      }
    },
  });
}

/** By capability: `ok` or the fault. */
type OtherHealth = (error: VaultgraphError, limitMs: number) => Promise<Readonly<Record<string, string>>>;

/** What a caller did wrong says nothing of any service. */
const ABOUT_SERVICES: readonly Category[] = ['vault', 'store', 'index', 'provider'];
/** Details are short; `doctor` shows everything. */
const MAX_DETAIL_LENGTH = 100;

/** Asks every provider but the one that failed, side by side, each for as long as the limit says. Never throws. */
export function createOtherHealth(providers: readonly LoadedProvider[]): OtherHealth {
  return async (error, limitMs) => {
    if (!ABOUT_SERVICES.includes(error.category) || limitMs <= 0) return {};
    const failing = capabilityOf(error);
    const others = providers.filter(({ capability }) => capability !== failing && capability !== 'writer');
    const rows = await Promise.all(others.map(async (other) => [other.capability, await stateOf(other, limitMs)]));
    return Object.fromEntries(rows);
  };
}

function capabilityOf({ category, details }: VaultgraphError): string {
  return 'capability' in details && category === 'provider' ? String(details.capability) : category;
}

async function stateOf(provider: LoadedProvider, limitMs: number): Promise<string> {
  const { ok, detail, failure } = await provider.probe(NEVER, limitMs);
  if (ok) return 'ok';
  return failure === undefined ? detail.slice(0, MAX_DETAIL_LENGTH) : failure.code;
}

/** Milliseconds of one request, answered or failed. */
type Took = (capability: 'embedding' | 'llm' | 'rerank', ms: number) => void;

/** Frozen twins of the providers that a model works for, each telling of its requests. */
export function measuredProviders({ embedding, llm, rerank }: Capabilities, took: Took): Partial<Capabilities> {
  return {
    ...(embedding && { embedding: measuredEmbedding(embedding, took) }),
    ...(llm && { llm: measured(llm, 'generate', (ms) => took('llm', ms)) }),
    ...(rerank && { rerank: measured(rerank, 'rerank', (ms) => took('rerank', ms)) }),
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
  // A copy by value would freeze a size that the provider learns later.
  const descriptors = Object.getOwnPropertyDescriptors(provider);
  return Object.freeze(
    Object.defineProperties({} as T, { ...descriptors, [method]: { value: timed, enumerable: true } }),
  );
}

/** By capability, 1 while its breaker is open. */
export function breakerStates(providers: readonly LoadedProvider[]): (readonly [value: number, capability: string])[] {
  return providers
    .filter(({ model }) => model !== undefined)
    .map((each) => [each.notes().some((note) => note.startsWith(BREAKER_OPEN)) ? 1 : 0, nameOf(each.section)] as const);
}
