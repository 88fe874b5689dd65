// Measures the start of the packed package after its installation, by npx and by its installed program.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, pack, ROOT } from '../packaging/installed.ts';
import { type BenchSetting, newFolder } from './bench-setting.ts';
import type { Ledger, MEASURES } from './figures.ts';
import { openMcpSession } from './mcp-session.ts';
import { median } from './statistics.ts';

const STARTS = 4;
const FLOOR_NAME = 'floor-server';

/** Packs and installs the built program; a user's first start is the first after that. */
export async function takePackedStarts(setting: BenchSetting, ledger: Ledger<keyof typeof MEASURES>): Promise<void> {
  await ledger.attempt(['npx_first', 'npx_again', 'installed_start'], async () => {
    assert.equal(relative(join(ROOT, 'dist/main.js'), setting.program), '', 'only the program in dist is packed');
    const work = newFolder(setting, 'packed');
    const { folder, program } = install(pack(work), work);
    const project = join(folder, '../..');
    const serve = () => ['serve', '--vault', setting.vault.folder, '--data-dir', newFolder(setting, 'start')];
    const start = (by: readonly string[]) => startMs([...by, ...serve()], setting, project);
    const [first = Number.NaN, ...again] = await series(() => start(byNpx('vaultgraph')));
    const installed = await series(() => start([program]));
    return { npx_first: first, npx_again: median(again), installed_start: median(installed.slice(1)) };
  });
}

/** The same start by npx, of the smallest useful server. */
export async function npxFloor(setting: BenchSetting, server: string): Promise<number> {
  const project = newFolder(setting, 'npx-floor');
  const bin = join(project, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  const launcher = `#!/usr/bin/env node\nimport(${JSON.stringify(pathToFileURL(server).href)});\n`;
  writeFileSync(join(bin, FLOOR_NAME), launcher, { mode: 0o755 });
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  const starts = await series(() => startMs(byNpx(FLOOR_NAME), setting, project));
  return median(starts.slice(1));
}

async function series(start: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  while (values.length < STARTS) values.push(await start());
  return values;
}

async function startMs(args: readonly string[], { workFolder }: BenchSetting, project: string): Promise<number> {
  const session = await openMcpSession(args, workFolder, project);
  await session.close();
  return session.initializeMs;
}

/** `npx` is `npm exec`; what is installed needs no registry. */
function byNpx(name: string): readonly string[] {
  const npm = process.env.npm_execpath;
  assert.ok(npm, 'no npm to start it with: use `npm run bench`');
  return [npm, 'exec', '--offline', '--', name];
}
