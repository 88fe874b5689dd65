// Small real providers and a vault folder for the tests of the lifecycle. Knows nothing of what is tested.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import type { Opened, Provider, ProviderContext } from '../../src/contracts/provider.ts';
import { secret } from '../../src/contracts/secret.ts';
import type { ConfigSources } from '../../src/lifecycle/config-sources.ts';
import { providerCatalog } from '../../src/providers/catalog.ts';

/** The providers of this version. */
export const CATALOG = providerCatalog;

interface CountingConfig {
  readonly model: string;
  readonly timeout: number;
  readonly api_key?: string | undefined;
  readonly headers: Record<string, string>;
}

/** Embeds a text as its length; has secrets like a remote provider. */
export const countingProvider: Provider<'embedding', CountingConfig> = Object.freeze({
  capability: 'embedding',
  type: 'counting',
  config: z.strictObject({
    model: z.string().min(1),
    timeout: z.int().min(1).max(290_000).default(30_000),
    api_key: secret().optional(),
    headers: z.record(z.string(), secret()).default({}),
  }),
  limits: ({ timeout }: CountingConfig) => ({ embed: timeout }),
  open: async ({ model }: CountingConfig) => openedEmbedding({ model, embed: async (texts) => texts.map(lengthOf) }),
});

const lengthOf = (text: string): Float32Array => Float32Array.of(text.length);

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
  readonly context: ProviderContext;
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
    context: { vaultRoot: vault, dataFolder: join(home, 'data'), log: () => undefined },
  };
}
