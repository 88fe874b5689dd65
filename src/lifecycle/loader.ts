// Opens the sections of a config as a frozen set of guarded capabilities.
import { VaultgraphError } from '../base/errors.ts';
import { proxyFor } from '../base/this-machine.ts';
import type { Capabilities } from '../contracts/capability.ts';
import type { Opened } from '../contracts/provider.ts';
import type { WriteLock } from '../contracts/session.ts';
import type { Section } from './config/provider-sections.ts';
import {
  type CloseFailure,
  closeAll,
  logCloseFailure,
  type OpenEndpoint,
  type OpenLimits,
  openSections,
} from './opened-sections.ts';
import type { LoadedProvider } from './provider-health.ts';
import { type ServeContext, wireSection } from './wire-section.ts';

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

function receiversOf({ capability }: Opened<object>): string[] {
  if (!('endpoint' in capability) || typeof capability.endpoint !== 'string') return [];
  const proxy = proxyFor(capability.endpoint);
  return proxy === undefined ? [capability.endpoint] : [capability.endpoint, proxy];
}
