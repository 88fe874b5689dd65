// Opens all configured providers side by side and closes them in reverse. Knows no vendor and no tool.
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import type { Capabilities } from '../contracts/capability.ts';
import type { Opened, Probe, ProvidedCapability, ProviderContext } from '../contracts/provider.ts';
import { guardProvider, lapseError, withLimit } from './guard.ts';
import type { Section } from './provider-sections.ts';

export interface LoadLimits {
  readonly openLimitMs: number;
  readonly closeLimitMs: number;
  readonly probeLimitMs: number;
}

/** Opening is local work; closing has to end before a client kills the process; a probe is waited for by a person. */
export const LOAD_LIMITS: LoadLimits = Object.freeze({
  openLimitMs: 10_000,
  closeLimitMs: 1_000,
  probeLimitMs: 1_500,
});

export interface LoadedProvider {
  readonly capability: ProvidedCapability;
  readonly type: string;
  /** Never throws but for the signal's reason: a provider that fails or hangs is a row with `ok: false`. */
  probe(signal: AbortSignal): Promise<Probe>;
}

export interface CloseFailure {
  readonly capability: ProvidedCapability;
  readonly error: VaultgraphError;
}

export interface Loaded {
  readonly capabilities: Capabilities;
  readonly providers: readonly LoadedProvider[];
  /** Closes in reverse order, each under its limit; goes on past a failure and returns all of them. */
  close(): Promise<readonly CloseFailure[]>;
}

interface OpenSection {
  readonly section: Section;
  readonly opened: Opened<object>;
}

/** Beside what every provider is told: who hears of answers that came too late. */
export interface LoadContext extends ProviderContext {
  readonly onLate: (capability: ProvidedCapability, method: string) => void;
}

const NEVER = new AbortController().signal;

/**
 * @throws the opening error, when one section fails; CONFIG_INVALID with a fault each when several do. What was open is closed.
 */
export async function load(
  sections: readonly Section[],
  context: LoadContext,
  limits: LoadLimits = LOAD_LIMITS,
): Promise<Loaded> {
  checkNoTwins(sections);
  const results = await Promise.allSettled(sections.map((section) => openSection(section, context, limits)));
  const open = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = () => closeAll(open, limits.closeLimitMs);
  try {
    throwFailures(sections, results);
    const capabilities = Object.freeze(Object.fromEntries(open.map((each) => guarded(each, context)))) as Capabilities;
    return Object.freeze({ capabilities, providers: open.map((each) => probed(each, limits.probeLimitMs)), close });
  } catch (thrown) {
    for (const failure of await close()) logCloseFailure(context, failure);
    throw thrown;
  }
}

/** @throws INTERNAL */
function checkNoTwins(sections: readonly Section[]): void {
  const names = sections.map(({ provider }) => provider.capability);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new VaultgraphError('INTERNAL', { kind: `two providers of ${twin}` });
}

/** A provider that opens after its limit is closed at once: nobody would ever close it. */
async function openSection(section: Section, context: LoadContext, limits: LoadLimits): Promise<OpenSection> {
  const { provider, config } = section;
  const opened = await withLimit<Opened<object>>(
    limits.openLimitMs,
    (elapsedMs) => lapseError(provider, 'open', limits.openLimitMs, elapsedMs),
    NEVER,
    async (signal) => provider.open(config, context, signal),
    async (late) => {
      if (late.status === 'rejected') return;
      const failures = await closeAll([{ section, opened: late.value }], limits.closeLimitMs);
      for (const failure of failures) logCloseFailure(context, failure);
    },
  );
  return { section, opened };
}

/** @throws */
function throwFailures(sections: readonly Section[], results: readonly PromiseSettledResult<unknown>[]): void {
  const failures = results.flatMap((result, index) => {
    const section = sections[index];
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
  throw new VaultgraphError('CONFIG_INVALID', { faults }, { cause });
}

function guarded({ section, opened }: OpenSection, context: LoadContext): [ProvidedCapability, object] {
  const { provider, config } = section;
  const { capability, type } = provider;
  const limits = provider.limits(config) as Readonly<Record<never, number | 'bounded'>>;
  const onLate = (method: string) => context.onLate(capability, method);
  return [capability, guardProvider({ capability, type }, opened.capability, limits, onLate)];
}

function probed({ section, opened }: OpenSection, limitMs: number): LoadedProvider {
  const { capability, type } = section.provider;
  const lapse = (elapsedMs: number) => lapseError(section.provider, 'probe', limitMs, elapsedMs);
  return Object.freeze({
    capability,
    type,
    probe: async (signal: AbortSignal): Promise<Probe> => {
      try {
        return await withLimit(limitMs, lapse, signal, async (stop) => opened.probe(stop));
      } catch (thrown) {
        signal.throwIfAborted();
        return { ok: false, detail: toVaultgraphError(thrown).message };
      }
    },
  });
}

async function closeAll(open: readonly OpenSection[], limitMs: number): Promise<readonly CloseFailure[]> {
  const failures: CloseFailure[] = [];
  for (const { section, opened } of open.toReversed()) {
    const { capability } = section.provider;
    const lapse = (elapsedMs: number) => lapseError(section.provider, 'close', limitMs, elapsedMs);
    try {
      await withLimit(limitMs, lapse, NEVER, async () => opened.close());
    } catch (thrown) {
      failures.push({ capability, error: toVaultgraphError(thrown) });
    }
  }
  return failures;
}

function logCloseFailure({ log }: ProviderContext, { capability, error }: CloseFailure): void {
  log('error', 'provider_close_failed', { capability, code: error.code, error_id: error.errorId });
}
