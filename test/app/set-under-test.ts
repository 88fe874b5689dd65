// Opens several vaults of given notes as one server, in this process.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { readServedFrom } from '../../src/app/read-configs.ts';
import { createVaultSet } from '../../src/app/vault-set.ts';
import { NEVER } from '../../src/base/async/waits.ts';
import type { Params } from '../../src/mcp/wire/method.ts';
import { placeFor } from '../lifecycle/sample-providers.ts';
import type { LogRecord } from '../mcp/test-host.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
type Wire = any;

export interface VaultFiles {
  /** Keys of the vault's section, as YAML. */
  readonly keys?: string;
  /** Absent for a folder that does not exist. */
  readonly files?: Readonly<Record<string, string>>;
}

/** @param more further lines of the config */
export async function openedSet(test: TestContext, vaults: Readonly<Record<string, VaultFiles>>, more = '') {
  const place = placeFor(test);
  const sections = Object.entries(vaults).map(([name, { keys = '', files }]) => {
    const root = join(place.home, name);
    for (const [path, text] of Object.entries(files ?? {})) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return `  ${name}: { path: ${JSON.stringify(root)}${keys === '' ? '' : `, ${keys}`} }\n`;
  });
  const config = place.write(`vaults:\n${sections.join('')}${more}`);
  const { vaults: configs } = await readServedFrom(place.sources({ config, dataDir: join(place.home, 'data') }));
  if (!('several' in configs)) throw new TypeError('one vault');
  const records: LogRecord[] = [];
  const set = createVaultSet(configs.several, (level, event, fields) => {
    records.push({ level, event, fields: { ...fields } });
  });
  test.after(() => set.close());
  await set.inEach(async ({ indexer }) => {
    const { id } = await indexer.start({ kind: 'catch_up' });
    await indexer.ended(id, NEVER);
  });
  const updated: string[] = [];
  const methods = set.offer.methods((_method, { uri }) => {
    updated.push(String(uri));
    return true;
  });
  const request = { id: '1', signal: NEVER, client: 'a test' };
  /** The result, or the fault. */
  const ask = async (method: string, params?: Params): Promise<Wire> => {
    const reply: Wire = await methods.get(method)?.(params, request);
    return reply.result ?? reply.fault;
  };
  /** The structured half of a tool's answer. */
  const call = async (name: string, args: object = {}): Promise<Wire> => {
    const result = await ask('tools/call', { name, arguments: args });
    return result.structuredContent ?? result;
  };
  test.after(() => set.offer.close());
  return { home: place.home, set, records, updated, ask, call };
}
