// Turns an opened section of the config into the capability that the server uses, guarded or resilient, and its status row.
import { VaultgraphError } from '../base/errors.ts';
import type { Embedding, EmbeddingIdentity } from '../contracts/embedding.ts';
import type { Opened, ProvidedCapability, ProviderContext } from '../contracts/provider.ts';
import type { ModelProvider } from '../contracts/provider-call.ts';
import type { Section } from './config/provider-sections.ts';
import { guardProvider } from './guard.ts';
import { guardedName, type OpenEndpoint } from './opened-sections.ts';
import { type LoadedProvider, probedProvider } from './provider-health.ts';
import type { ModelLimits } from './resilience/endpoints.ts';
import type { ResilienceHooks, ResilienceSettings, ResilientParts } from './resilience/model-client.ts';
import { type Resilient, resilientEmbedding, resilientLLM, resilientRerank } from './resilience/model-client.ts';

/** The context of every provider, with the settings for retries and the hooks for events. */
export interface ServeContext extends ProviderContext {
  readonly resilience: ResilienceSettings;
  readonly hooks: Omit<ResilienceHooks<EmbeddingIdentity>, 'log'>;
}

export interface Served {
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
export const wireSection: Serve = (section, ...rest) =>
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
  const other = resilientSection(resilientEmbedding, fallback.section, open, { ...context, hooks });
  const { useOn } = fallback;
  const capability: Embedding = Object.freeze({
    ...main.resilient.provider,
    fallback: Object.freeze({ provider: other.resilient.provider, useOn }),
  });
  const notes = (): string[] => [`used on ${useOn.join(', ')}`, ...other.resilient.notes()];
  rows.push(probedProvider(fallback.section, other.opened, probeLimitMs, notes));
  return { capability, rows, resilient: [main.resilient, other.resilient] };
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
  const own = endpointsIn(open, section) as unknown as [{ opened: Opened<P> }];
  const [{ opened }] = own;
  const resilient = make({
    endpoints: own.map((endpoint) => endpoint.opened.capability) as [P],
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
