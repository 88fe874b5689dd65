// The twin that compiles: what it may touch, limit and throw is declared. Nothing in this file is refused.
import { z } from 'zod';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { TimeLimits } from '../../src/contracts/capability.ts';
import type { Embedding } from '../../src/contracts/embedding.ts';
import { defineTool } from '../../src/contracts/tool.ts';
import type { Vault } from '../../src/contracts/vault.ts';

export const embedLimits: TimeLimits<Embedding> = { identify: 1, embed: 30_000, loaded: 'bounded', warmUp: 1 };
export const limits: TimeLimits<Vault> = {
  list: 5_000,
  listAt: 5_000,
  listAndRead: 5_000,
  listSome: 5_000,
  earlier: 5_000,
  read: 'bounded',
  readKept: 'bounded',
  readSamples: 'bounded',
  readHashes: 'bounded',
  watch: 5_000,
  settings: 5_000,
};

export const honest = defineTool({
  name: 'honest',
  title: 'A test',
  summary: 'Touches what it named.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'none',
  fails: ['LIMIT_EXCEEDED'],
  input: z.strictObject({ most: z.number() }),
  run: async ({ most }, granted, call) => {
    const { notes } = await granted.store.counts(call.signal);
    if (notes > most) throw new VaultgraphError('LIMIT_EXCEEDED', { field: 'most', limit: most, actual: notes });
    return { notes, vault: granted.vault.name };
  },
});
