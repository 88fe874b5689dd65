// Opens the endpoints of all config sections concurrently, and closes them in reverse order.

import { withLimit } from '../base/async/limits.ts';
import { NEVER } from '../base/async/waits.ts';
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { Section } from '../config/provider-sections.ts';
import type { Opened, ProvidedCapability, ProviderContext } from '../contracts/provider.ts';
import type { ModelProvider } from '../contracts/provider-call.ts';
import { type Guarded, lapseError } from './guard.ts';

export interface OpenLimits {
  readonly openLimitMs: number;
  readonly closeLimitMs: number;
}

/** One endpoint of a section. */
export interface OpenEndpoint {
  readonly section: Section;
  readonly opened: Opened<object>;
}

export interface CloseFailure {
  readonly capability: ProvidedCapability;
  readonly error: VaultgraphError;
}

/**
 * Opens every endpoint of every section and fallback, in the order of the config.
 * @throws the opening error, when one fails; CONFIG_INVALID with a fault each when several do. What was open is closed.
 */
export async function openSections(
  sections: readonly Section[],
  context: ProviderContext,
  limits: OpenLimits,
): Promise<readonly OpenEndpoint[]> {
  const endpoints = sections.flatMap(withFallback).flatMap(endpointsOf);
  const results = await Promise.allSettled(endpoints.map((each) => openOne(each, context, limits)));
  try {
    throwFailures(endpoints, results);
  } catch (thrown) {
    const open = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    for (const failure of await closeAll(open, limits.closeLimitMs)) logCloseFailure(context, failure);
    throw thrown;
  }
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Closes in reverse order, each under its limit; continues after a failure and returns all failures. */
export async function closeAll(open: readonly OpenEndpoint[], limitMs: number): Promise<readonly CloseFailure[]> {
  const failures: CloseFailure[] = [];
  for (const { section, opened } of open.toReversed()) {
    const { capability } = section.provider;
    const lapse = (elapsedMs: number) => lapseError(guardedName(section, opened), 'close', limitMs, elapsedMs);
    try {
      await withLimit(limitMs, lapse, NEVER, async () => opened.close());
    } catch (thrown) {
      failures.push({ capability, error: toVaultgraphError(thrown) });
    }
  }
  return failures;
}

export function logCloseFailure({ log }: ProviderContext, { capability, error }: CloseFailure): void {
  log('error', 'provider_close_failed', { capability, code: error.code, error_id: error.errorId });
}

/** The names for a failure; model and endpoint come from the opened provider, because a section may name a model by its path. */
export function guardedName({ provider }: Section, opened?: Opened<object>): Guarded {
  const { capability, type } = provider;
  const { model, endpoint } = (opened?.capability ?? {}) as Partial<ModelProvider<unknown>>;
  return {
    capability,
    type,
    ...(model === undefined ? {} : { model }),
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(opened?.inspect === undefined ? {} : { isServer: true }),
  };
}

const withFallback = (section: Section): Section[] =>
  section.fallback === undefined ? [section] : [section, section.fallback.section];

interface EndpointToOpen {
  readonly section: Section;
  readonly config: unknown;
}

function endpointsOf(section: Section): EndpointToOpen[] {
  const { provider, config } = section;
  return (provider.endpoints?.(config) ?? [config]).map((each) => ({ section, config: each }));
}

/** A provider that opens after its limit is closed at once, because no other code would close it. */
async function openOne(
  { section, config }: EndpointToOpen,
  context: ProviderContext,
  limits: OpenLimits,
): Promise<OpenEndpoint> {
  const { openLimitMs, closeLimitMs } = limits;
  const opened = await withLimit<Opened<object>>(
    openLimitMs,
    (elapsedMs) => lapseError(guardedName(section), 'open', openLimitMs, elapsedMs),
    NEVER,
    async (signal) => section.provider.open(config, context, signal),
    async (late) => {
      if (late.status === 'rejected') return;
      const failures = await closeAll([{ section, opened: late.value }], closeLimitMs);
      for (const failure of failures) logCloseFailure(context, failure);
    },
  );
  return { section, opened };
}

/** @throws */
function throwFailures(endpoints: readonly EndpointToOpen[], results: readonly PromiseSettledResult<unknown>[]): void {
  const failures = results.flatMap((result, index) => {
    const section = endpoints[index]?.section;
    return result.status === 'rejected' && section ? [{ section, error: toVaultgraphError(result.reason) }] : [];
  });
  const [first, second] = failures;
  if (first === undefined) return;
  if (second === undefined) throw first.error;
  const faults = failures.map(({ section, error }) => ({
    ...section.place,
    key: section.path.join('.'),
    what: `${section.path.join('.')}: ${error.message}. ${error.hint}`,
  }));
  const cause = new AggregateError(failures.map(({ error }) => error));
  throw new VaultgraphError('CONFIG_INVALID', { faults, advice: 'Fix each of these and start again.' }, { cause });
}
