// Opens the sections of a config as a frozen set of guarded capabilities.
import { VaultgraphError } from '../base/errors.ts';
import { proxyFor } from '../base/this-machine.ts';
import type { Section } from '../config/provider-sections.ts';
import type { Capabilities } from '../contracts/capability.ts';
import type { Embedding, EmbeddingIdentity } from '../contracts/embedding.ts';
import type { StoredFeed } from '../contracts/feed.ts';
import type { Opened, ProvidedCapability, ProviderContext } from '../contracts/provider.ts';
import type { ModelProvider } from '../contracts/provider-call.ts';
import type { WriteLock } from '../contracts/session.ts';
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
import { type LoadedProvider, probedProvider } from './provider-health.ts';
import type { ModelLimits } from './resilience/endpoints.ts';
import {
  type ResilienceHooks,
  type ResilienceSettings,
  type Resilient,
  type ResilientParts,
  resilientEmbedding,
  resilientLLM,
  resilientRerank,
} from './resilience/model-client.ts';

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
  /** A row for each section, each followed by its fallback. */
  readonly providers: readonly LoadedProvider[];
  /** The endpoints that text is sent to, and the proxies on the way. */
  readonly textGoesTo: readonly string[];
  /** Loads the models that are always in use, in the background. */
  warmUp(): void;
  /** Work that continues after opening; absent if there is none. If it rejects, the process is unusable. */
  readonly ready?: Promise<void>;
  /** Absent if the store keeps no feed of changes. */
  readonly feed?: StoredFeed;
  /** Absent if only servers of this machine write the vault. */
  readonly writeLock?: WriteLock;
  /** Gives back memory that only makes calls faster. */
  release(): Promise<void>;
  /** Why no answer from the index can be trusted, once that is known. */
  damage(): VaultgraphError | undefined;
  /** Closes in reverse order, each under its limit; continues after a failure and returns all failures. */
  close(): Promise<readonly CloseFailure[]>;
}

export type LoadContext = ServeContext;

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

function assemble(
  sections: readonly Section[],
  open: readonly OpenEndpoint[],
  context: LoadContext,
  limits: LoadLimits,
): Loaded {
  const all = sections.map((section) => ({
    name: section.provider.capability,
    ...wireSection(section, open, context, limits.probeLimitMs),
  }));
  const resilient = all.flatMap((each) => each.resilient);
  return Object.freeze({
    capabilities: Object.freeze(Object.fromEntries(all.map(({ name, capability }) => [name, capability]))),
    providers: all.flatMap(({ rows }) => rows),
    textGoesTo: [...new Set(open.flatMap(({ opened }) => receiversOf(opened)))],
    warmUp: () => {
      for (const { warmUp } of resilient) warmUp();
    },
    ...readyWith(open),
    ...lockOf(open),
    ...feedOf(open),
    damage: () => open.map(({ opened }) => opened.damage?.()).find((error) => error !== undefined),
    release: async () => {
      await Promise.all(open.map(({ opened }) => opened.release?.()));
    },
    close: () => {
      for (const { close } of resilient) close();
      return closeAll(open, limits.closeLimitMs);
    },
  });
}

function readyWith(open: readonly OpenEndpoint[]): Pick<Loaded, 'ready'> {
  const behind = open.flatMap(({ opened: { ready } }) => (ready === undefined ? [] : [ready]));
  if (behind.length === 0) return {};
  const ready = Promise.all(behind).then(() => undefined);
  // Callers that wait see the rejection; without one it must not be unhandled.
  ready.catch(() => undefined);
  return { ready };
}

function lockOf(open: readonly OpenEndpoint[]): Pick<Loaded, 'writeLock'> {
  const [writeLock] = open.flatMap(({ opened }) => opened.writeLock ?? []);
  return writeLock === undefined ? {} : { writeLock };
}

function feedOf(open: readonly OpenEndpoint[]): Pick<Loaded, 'feed'> {
  const [feed] = open.flatMap(({ opened }) => opened.feed ?? []);
  return feed === undefined ? {} : { feed };
}

function receiversOf({ capability }: Opened<object>): string[] {
  if (!('endpoint' in capability) || typeof capability.endpoint !== 'string') return [];
  const proxy = proxyFor(capability.endpoint);
  return proxy === undefined ? [capability.endpoint] : [capability.endpoint, proxy];
}

/** The context of every provider, with the settings for retries and the hooks for events. */
interface ServeContext extends ProviderContext {
  readonly resilience: ResilienceSettings;
  readonly hooks: Omit<ResilienceHooks<EmbeddingIdentity>, 'log'>;
}

interface Served {
  readonly capability: object;
  /** One for the section, and one for its fallback. */
  readonly rows: readonly LoadedProvider[];
  readonly resilient: readonly Pick<Resilient<unknown>, 'warmUp' | 'close'>[];
}

type Serve = (section: Section, open: readonly OpenEndpoint[], context: ServeContext, probeLimitMs: number) => Served;

/** Capabilities that a model works for; the others are held to their limits and no more. */
const SERVE: Partial<Record<ProvidedCapability, Serve>> = {
  embedding: servedEmbedding,
  llm: servedOnDemand(resilientLLM),
  rerank: servedOnDemand(resilientRerank),
};

/** @throws INTERNAL for a section that is not open */
const wireSection: Serve = (section, ...rest) =>
  (SERVE[section.provider.capability] ?? servedPlainly)(section, ...rest);

function servedPlainly(
  section: Section,
  open: readonly OpenEndpoint[],
  { hooks }: ServeContext,
  probeLimitMs: number,
): Served {
  const [{ opened }] = endpointsIn(open, section);
  const limits = section.provider.limits(section.config) as Readonly<Record<never, number | 'bounded'>>;
  const onLate = (): void => hooks.count('late_results_dropped');
  const capability = guardProvider(guardedName(section, opened), opened.capability, limits, onLate);
  const row = probedProvider(section, opened, probeLimitMs);
  return { capability, rows: [row], resilient: [] };
}

/** A fallback has its own limits and slots, and is listed as a provider of its own. */
function servedEmbedding(
  section: Section,
  open: readonly OpenEndpoint[],
  context: ServeContext,
  probeLimitMs: number,
): Served {
  const main = resilientSection(resilientEmbedding, section, open, context);
  const rows = [probedProvider(section, main.opened, probeLimitMs, main.resilient.notes)];
  const { fallback } = section;
  if (fallback === undefined) return { capability: main.resilient.provider, rows, resilient: [main.resilient] };
  // Its answers say nothing about the main provider.
  const hooks = { ...context.hooks, onAnswered: () => undefined, storedIdentity: async () => undefined };
  const fallbackSection = resilientSection(resilientEmbedding, fallback.section, open, { ...context, hooks });
  const { useOn } = fallback;
  const capability: Embedding = Object.freeze({
    ...main.resilient.provider,
    fallback: Object.freeze({ provider: fallbackSection.resilient.provider, useOn }),
  });
  const notes = (): string[] => [`used on ${useOn.join(', ')}`, ...fallbackSection.resilient.notes()];
  rows.push(probedProvider(fallback.section, fallbackSection.opened, probeLimitMs, notes));
  return { capability, rows, resilient: [main.resilient, fallbackSection.resilient] };
}

/**
 * A language model needs much memory and may be unused for hours, so the first call that needs it loads it; a model that reranks
 * is not loaded before it is needed either. Their answers say nothing about stored vectors, and no answer is stored to verify
 * their identity later.
 */
function servedOnDemand<Identity, P extends ModelProvider<Identity>, L extends ModelLimits>(
  make: (parts: ResilientParts<P, L, Identity>) => Resilient<P>,
): Serve {
  return (section, open, context, probeLimitMs) => {
    const hooks = { ...context.hooks, onAnswered: () => undefined, storedIdentity: async () => undefined };
    const { opened, resilient } = resilientSection(make, section, open, { ...context, hooks });
    const rows = [probedProvider(section, opened, probeLimitMs, resilient.notes)];
    const { provider: capability, close } = resilient;
    return { capability, rows, resilient: [{ warmUp: () => undefined, close }] };
  };
}

interface SectionContext<Identity> extends Omit<ServeContext, 'hooks'> {
  readonly hooks: Omit<ResilienceHooks<Identity>, 'log'>;
}

/** The endpoints of the section with their resilience layers. */
function resilientSection<Identity, P extends ModelProvider<Identity>, L extends ModelLimits>(
  make: (parts: ResilientParts<P, L, Identity>) => Resilient<P>,
  section: Section,
  open: readonly OpenEndpoint[],
  context: SectionContext<Identity>,
) {
  const endpoints = endpointsIn(open, section) as unknown as [{ opened: Opened<P> }];
  const [{ opened }] = endpoints;
  const resilient = make({
    endpoints: endpoints.map((endpoint) => endpoint.opened.capability) as [P],
    limits: section.provider.limits(section.config) as unknown as L,
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
