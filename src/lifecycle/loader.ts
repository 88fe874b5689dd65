// Makes of the sections of a config the frozen set of capabilities, each guarded, and what there is to tell of them. Knows no vendor.
import { VaultgraphError } from '../base/errors.ts';
import type { Capabilities, TimeLimits } from '../contracts/capability.ts';
import type { Embedding, EmbeddingProvider } from '../contracts/embedding.ts';
import type { Opened, ProviderContext } from '../contracts/provider.ts';
import { guardProvider } from './guard.ts';
import {
  type CloseFailure,
  closeAll,
  guardedName,
  logCloseFailure,
  type OpenEndpoint,
  type OpenLimits,
  openSections,
} from './opened-sections.ts';
import { type LoadedProvider, probedProvider } from './probed-provider.ts';
import type { Section } from './provider-sections.ts';
import {
  type ResilienceHooks,
  type ResilienceSettings,
  type Resilient,
  resilientEmbedding,
} from './resilience/resilient-embedding.ts';

export interface LoadLimits extends OpenLimits {
  readonly probeLimitMs: number;
}

/** Opening is local work; closing has to end before a client kills the process; a probe is waited for by a person. */
export const LOAD_LIMITS: LoadLimits = Object.freeze({
  openLimitMs: 10_000,
  closeLimitMs: 1_000,
  probeLimitMs: 1_500,
});

export interface Loaded {
  readonly capabilities: Capabilities;
  /** A row for each section, and for each that stands in for one behind it. */
  readonly providers: readonly LoadedProvider[];
  /** Where texts may go beside this process, as the config has it. */
  readonly textGoesTo: readonly string[];
  /** Has the models loaded behind everything else. */
  warmUp(): void;
  /** Closes in reverse order, each under its limit; goes on past a failure and returns all of them. */
  close(): Promise<readonly CloseFailure[]>;
}

/** Beside what every provider is told: how failing providers are dealt with, and who hears of it. */
export interface LoadContext extends ProviderContext {
  readonly resilience: ResilienceSettings;
  readonly hooks: Omit<ResilienceHooks, 'log'>;
}

/** @throws the opening error, when one section fails; CONFIG_INVALID with a fault each when several do. What was open is closed. */
export async function load(
  sections: readonly Section[],
  context: LoadContext,
  limits: LoadLimits = LOAD_LIMITS,
): Promise<Loaded> {
  checkNoTwins(sections);
  const open = await openSections(sections, context, limits);
  try {
    return assemble(sections, open, context, limits);
  } catch (thrown) {
    for (const failure of await closeAll(open, limits.closeLimitMs)) logCloseFailure(context, failure);
    throw thrown;
  }
}

/** @throws INTERNAL */
function checkNoTwins(sections: readonly Section[]): void {
  const names = sections.map(({ provider }) => provider.capability);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new VaultgraphError('INTERNAL', { kind: `two providers of ${twin}` });
}

/** One section as it is served. */
interface Served {
  readonly capability: object;
  readonly rows: readonly LoadedProvider[];
  readonly resilient: readonly Resilient[];
}

function assemble(
  sections: readonly Section[],
  open: readonly OpenEndpoint[],
  context: LoadContext,
  limits: LoadLimits,
): Loaded {
  const served = sections.map((section) => {
    const serve = section.provider.capability === 'embedding' ? servedEmbedding : servedPlainly;
    return { name: section.provider.capability, ...serve(section, open, context, limits) };
  });
  const resilient = served.flatMap((each) => each.resilient);
  return Object.freeze({
    capabilities: Object.freeze(Object.fromEntries(served.map(({ name, capability }) => [name, capability]))),
    providers: served.flatMap(({ rows }) => rows),
    textGoesTo: [...new Set(open.flatMap(({ opened }) => endpointOf(opened)))],
    warmUp: () => {
      for (const { warmUp } of resilient) warmUp();
    },
    close: () => {
      for (const { close } of resilient) close();
      return closeAll(open, limits.closeLimitMs);
    },
  });
}

function endpointOf({ capability }: Opened<object>): string[] {
  return 'endpoint' in capability && typeof capability.endpoint === 'string' ? [capability.endpoint] : [];
}

function servedPlainly(
  section: Section,
  open: readonly OpenEndpoint[],
  { hooks }: LoadContext,
  { probeLimitMs }: LoadLimits,
): Served {
  const [{ opened }] = endpointsIn(open, section);
  const limits = section.provider.limits(section.config) as Readonly<Record<never, number | 'bounded'>>;
  const onLate = (): void => hooks.count('late_results_dropped');
  const capability = guardProvider(guardedName(section, opened), opened.capability, limits, onLate);
  const row = probedProvider(section, opened, probeLimitMs);
  return { capability, rows: [row], resilient: [] };
}

/** What stands in keeps its own time and its own places, and is told as a provider of its own. */
function servedEmbedding(
  section: Section,
  open: readonly OpenEndpoint[],
  context: LoadContext,
  limits: LoadLimits,
): Served {
  const main = resilientSection(section, open, context);
  const rows = [probedProvider(section, main.opened, limits.probeLimitMs, main.resilient.notes)];
  const { fallback } = section;
  if (fallback === undefined) return { capability: main.resilient.provider, rows, resilient: [main.resilient] };
  // What it answers says nothing of the provider that it stands in for.
  const hooks = { ...context.hooks, onAnswered: () => undefined, storedIdentity: async () => undefined };
  const other = resilientSection(fallback.section, open, { ...context, hooks });
  const { useOn } = fallback;
  const capability: Embedding = Object.freeze({
    ...main.resilient.provider,
    fallback: Object.freeze({ provider: other.resilient.provider, useOn }),
  });
  const notes = (): string[] => [`stands in on ${useOn.join(', ')}`, ...other.resilient.notes()];
  rows.push(probedProvider(fallback.section, other.opened, limits.probeLimitMs, notes));
  return { capability, rows, resilient: [main.resilient, other.resilient] };
}

function resilientSection(section: Section, open: readonly OpenEndpoint[], context: LoadContext) {
  const own = endpointsIn(open, section) as unknown as [{ opened: Opened<EmbeddingProvider> }];
  const [{ opened }] = own;
  const resilient = resilientEmbedding({
    endpoints: own.map((endpoint) => endpoint.opened.capability) as [EmbeddingProvider],
    limits: section.provider.limits(section.config) as TimeLimits<EmbeddingProvider>,
    pull: opened.pull,
    settings: context.resilience,
    hooks: { ...context.hooks, log: context.log },
  });
  return { opened, resilient };
}

/** @throws INTERNAL for a section that is not open */
function endpointsIn(open: readonly OpenEndpoint[], section: Section): [OpenEndpoint, ...OpenEndpoint[]] {
  const [first, ...others] = open.filter((each) => each.section === section);
  if (first !== undefined) return [first, ...others];
  throw new VaultgraphError('INTERNAL', { kind: `no endpoint of ${section.path.join('.')}` });
}
