// Provides small working providers and a vault folder for the lifecycle tests.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import type { ConfigSources } from '../../src/config/config-sources.ts';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import { type Opened, type Provider, secret } from '../../src/contracts/provider.ts';
import type { LoadContext } from '../../src/lifecycle/loader.ts';
import { providerCatalog } from '../../src/providers/catalog.ts';
import { fakeEmbedding } from '../fakes/embedding.ts';

/** The providers of this version. */
export const CATALOG = providerCatalog;

interface CountingConfig {
  readonly model: string;
  readonly timeout: number;
  readonly api_key?: string | undefined;
  readonly headers: Record<string, string>;
}

/** The fake behind a section with secrets, like a remote provider's; one endpoint for each it names. */
export const countingProvider: Provider<'embedding', CountingConfig> = Object.freeze<
  Provider<'embedding', CountingConfig>
>({
  capability: 'embedding',
  type: 'counting',
  config: z.strictObject({
    model: z.string().min(1),
    timeout: z.int().min(1).max(290_000).default(30_000),
    api_key: secret().optional(),
    headers: z.record(z.string(), secret()).default({}),
  }),
  limits: ({ timeout }) => limitsOf(timeout),
  open: async ({ model }) => openedEmbedding(fakeEmbedding({ type: 'counting', model }).provider),
});

export const limitsOf = (timeout: number): ReturnType<Provider<'embedding'>['limits']> => ({
  ...{ identify: timeout, embed: timeout, loaded: timeout, warmUp: timeout },
});

export function openedEmbedding(
  capability: EmbeddingProvider,
  rest: Partial<Opened<EmbeddingProvider>> = {},
): Opened<EmbeddingProvider> {
  const probe = async () => ({ ok: true, detail: 'counts' });
  return { capability, probe, close: async () => undefined, ...rest };
}

export interface Place {
  readonly home: string;
  readonly vault: string;
  /** Writes a config file and returns its path. */
  write(text: string | Uint8Array, name?: string): string;
  sources(flags?: ConfigSources['flags'], env?: ConfigSources['env']): ConfigSources;
  /** No listener is called. */
  readonly context: LoadContext;
}

/** A home folder with an empty vault `Notes` in it; both go when the test ends. */
export function placeFor(test: TestContext): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'vaultgraph-lifecycle-')));
  test.after(() => rmSync(home, { recursive: true, force: true }));
  const vault = join(home, 'Notes');
  mkdirSync(vault);
  return {
    home,
    vault,
    write: (text, name = 'config.yaml') => {
      const file = join(home, name);
      writeFileSync(file, text);
      return file;
    },
    sources: (flags = {}, env = {}) => ({ flags, env, platform: 'linux', home, cwd: home }),
    context: {
      ...{ vaultRoot: vault, dataFolder: join(home, 'data'), stateFolder: join(home, 'state'), log: () => undefined },
      resilience: {
        retry: { attempts: 1, jobAttempts: 1 },
        breaker: { enabled: false, failures: 5, cooldown: 15_000 },
      },
      hooks: { count: () => undefined, onAnswered: () => undefined, storedIdentity: async () => undefined },
    },
  };
}
