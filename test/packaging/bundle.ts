// Builds the one-click bundles: `npm run bundle` for all platforms, `npm run bundle -- linux-x64` for one.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { fetched } from '../packages/fetched.ts';
import { npm } from '../packages/npm.ts';
import { bundleManifest, ENTRY, ICONS, PLATFORMS, type Platform } from './bundle-manifest.ts';
import { manifestOf, pack, ROOT, workFolder } from './installed.ts';

export const nameOf = ({ os, cpu }: Platform): string => `${os}-${cpu}`;

/** Files of the packages with native parts, as the system loads them. */
function neededFiles({ os, cpu }: Platform): readonly string[] {
  if (os === 'darwin') return [];
  const [vec, suffix] = os === 'win32' ? ['windows', 'dll'] : [os, 'so'];
  const watcher = `@parcel/watcher-${os}-${cpu}${os === 'linux' ? '-glibc' : ''}`;
  // Only Linux needs it, for the lock of the vault.
  const koffiScripts = ['index.cjs', 'src/koffi/index.cjs', 'src/koffi/src/static.cjs'];
  const koffi = ['package.json', 'LICENSE.txt', ...koffiScripts].map((file) => `koffi/${file}`);
  const koffiBinary = [`@koromix/koffi-linux-${cpu}/index.js`, `@koromix/koffi-linux-${cpu}/package.json`];
  return [
    'better-sqlite3/package.json',
    'better-sqlite3/LICENSE',
    'better-sqlite3/lib',
    `better-sqlite3/prebuilds/${os}-${cpu}.node`,
    'sqlite-vec/package.json',
    'sqlite-vec/index.cjs',
    'sqlite-vec/index.mjs',
    `sqlite-vec-${vec}-${cpu}/package.json`,
    `sqlite-vec-${vec}-${cpu}/vec0.${suffix}`,
    '@parcel/watcher/package.json',
    '@parcel/watcher/LICENSE',
    '@parcel/watcher/index.js',
    '@parcel/watcher/wrapper.js',
    watcher,
    'is-glob',
    'is-extglob',
    'picomatch',
    ...(os === 'linux' ? ['detect-libc', ...koffi, ...koffiBinary, `@koromix/koffi-linux-${cpu}/linux_${cpu}`] : []),
  ];
}

/** npm picks the platform's optional packages; no install script runs. */
function installFor({ os, cpu }: Platform, packed: string, into: string): string {
  writeFileSync(join(into, 'package.json'), '{"private":true}');
  const libc = os === 'linux' ? ['--libc=glibc'] : [];
  const parts = os === 'darwin' ? ['--omit=optional'] : [`--os=${os}`, `--cpu=${cpu}`, ...libc];
  npm(into, ['install', packed, ...parts, '--ignore-scripts', '--no-audit', '--no-fund']);
  return join(into, 'node_modules');
}

function stage(platform: Platform, packed: string, work: string): string {
  const [installed, staged] = [join(work, `installed-${nameOf(platform)}`), join(work, nameOf(platform))];
  mkdirSync(installed);
  const modules = installFor(platform, packed, installed);
  for (const part of ['dist', 'package.json', 'LICENSE', 'README.md'])
    cpSync(join(modules, 'vaultgraph', part), join(staged, part), { recursive: true });
  for (const path of neededFiles(platform))
    cpSync(join(modules, path), join(staged, 'node_modules', path), { recursive: true });
  for (const size of ICONS) cpSync(join(ROOT, `test/packaging/icon-${size}.png`), join(staged, `icon-${size}.png`));
  buildEntry(join(staged, ENTRY));
  writeFileSync(join(staged, 'manifest.json'), `${JSON.stringify(bundleManifest(platform), null, 2)}\n`);
  return staged;
}

/** For an older Node than the program's, because an application may have one. */
function buildEntry(outfile: string): void {
  buildSync({
    entryPoints: [join(ROOT, 'src/bundle/start.ts')],
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'esm',
    outfile,
    logLevel: 'warning',
  });
}

/** The packer of the format, in a process of its own. @throws Error with its output */
export function packer(...args: readonly string[]): void {
  const program = join(fetched('protocol'), '@anthropic-ai/mcpb/dist/cli/cli.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mcpb ${args.join(' ')}: ${stderr}${stdout}`);
}

/** The `.mcpb` of a platform, validated and packed by the packer. @throws Error if that refuses it */
export function bundle(platform: Platform, packed: string, work: string, into: string): string {
  const { name, version } = manifestOf(ROOT) as Record<string, string>;
  const outputPath = join(into, `${name}-${version}-${nameOf(platform)}.mcpb`);
  const staged = stage(platform, packed, work);
  packer('validate', join(staged, 'manifest.json'));
  packer('pack', staged, outputPath);
  return outputPath;
}

function bundleAll(names: readonly string[]): void {
  const into = join(ROOT, 'bundles');
  const work = workFolder();
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into);
  try {
    const packed = pack(work.path).file;
    for (const platform of PLATFORMS.filter((one) => names.length === 0 || names.includes(nameOf(one)))) {
      const file = bundle(platform, packed, work.path, into);
      process.stdout.write(`${file.slice(ROOT.length + 1)}  ${statSync(file).size.toLocaleString('en')} bytes\n`);
    }
  } finally {
    work.remove();
  }
  if (readdirSync(into).length === 0)
    throw new Error(`no such platform; there are ${PLATFORMS.map(nameOf).join(', ')}`);
}

if (import.meta.main) bundleAll(process.argv.slice(2));
