// `node test/round-trip.ts [vault] [max notes]`: runs the round trip over every note of copies of vaults written by other people.
import { existsSync, globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openGraphCore } from '../src/app/graph-core.ts';
import { readConfigFrom } from '../src/app/read-configs.ts';
import { type Call, copyVault, roundTrip } from './journeys/round-trip.ts';

const VAULTS = join(import.meta.dirname, '../../shared/vaults');
const [only, most = '1000000'] = process.argv.slice(2);
const never = new AbortController().signal;

const given = existsSync(VAULTS) ? readdirSync(VAULTS, { withFileTypes: true }) : [];
const vaults = given
  .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.truth'))
  .map(({ name }) => join(VAULTS, name));
for (const vault of vaults.filter((each) => only === undefined || basename(each) === only)) {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-round-trip-'));
  try {
    await check(vault, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(vault: string, folder: string): Promise<void> {
  const copy = join(folder, 'vault');
  copyVault(vault, copy);
  const config = join(folder, 'config.yaml');
  writeFileSync(config, `vault: { path: ${JSON.stringify(copy)}, access: read-write }\n`);
  const flags = { config, dataDir: join(folder, 'data') };
  const core = await openGraphCore(
    await readConfigFrom({ flags, env: {}, platform: process.platform, home: folder, cwd: folder }),
    () => {},
  );
  try {
    await core.indexer.ended((await core.indexer.start({ kind: 'catch_up' })).id, never);
    const call: Call = async (tool, args) => {
      const { structured, text } = await core.call(tool, args, {
        signal: never,
        limitMs: Number.POSITIVE_INFINITY,
        client: 'round trip',
      });
      return structured.ok ? { data: structured.data, text } : { code: structured.error.code, text };
    };
    const notes = globSync('**/*.md', { cwd: copy })
      .map((path) => path.normalize('NFC'))
      .sort()
      .slice(0, Number(most));
    const began = performance.now();
    const done = await roundTrip(call, copy, notes, (at) => {
      if (at % 50 === 0) process.stderr.write(`\r${basename(vault)} ${at}/${notes.length}  `);
    });
    process.stdout.write(
      `\n${basename(vault)}: ${JSON.stringify(done)} in ${Math.round((performance.now() - began) / 1000)} s\n`,
    );
  } finally {
    await core.close();
  }
}
