// Writes the licences of every package bundled into dist/, according to esbuild's metafiles.
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FILE = 'THIRD-PARTY-LICENSES';

export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** As in its manifest, for example `MIT`. */
  readonly license: string;
  readonly text: string;
}

/** The folders of the packages whose code is in an output, relative to the root: `node_modules/yaml`. */
export function bundledFolders(metafile: string): string[] {
  const { outputs } = JSON.parse(metafile) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
  };
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** @throws Error for a package without a licence, which must not be shipped */
export function readBundled(root: string, folder: string): Bundled {
  const at = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const files = readdirSync(at).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file));
  const own = files.map((file) => readFileSync(join(at, file), 'utf8').trim()).join('\n\n');
  const text = own === '' ? licenseInReadme(at) : own;
  if (text === undefined) throw new Error(`${folder} has no licence beside its code`);
  return { name, version, license, text };
}

/** The last section, where it has the whole text: one that only names a licence lacks its conditions. */
function licenseInReadme(folder: string): string | undefined {
  const [file] = readdirSync(folder).filter((name) => /^readme/i.test(name));
  if (file === undefined) return undefined;
  const text = /^##+ licen[cs]e\s*$([\s\S]*)/im.exec(readFileSync(join(folder, file), 'utf8'))?.[1]?.trim();
  return text !== undefined && /^Copyright /m.test(text) && /^#/m.exec(text) === null ? text : undefined;
}

export function licenseText(bundled: readonly Bundled[]): string {
  const head = 'This program contains code of the packages below, each under its own licence.\n';
  const parts = bundled.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`);
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The names of months and days are data of a package that is not bundled. */
function copied(root: string): Bundled {
  const text = readFileSync(join(root, 'src/markdown/dates/moment-languages.LICENSE'), 'utf8').trim();
  return { name: 'moment', version: '2.29.4', license: 'MIT', text };
}

function writeLicenses(root: string): void {
  const metafiles = globSync('dist/**/*.meta.json', { cwd: root }).map((path) => join(root, path));
  const folders = new Set(metafiles.flatMap((file) => bundledFolders(readFileSync(file, 'utf8'))));
  const data = 'node_modules/gpt-tokenizer';
  const bundled = [...[...folders, data].sort().map((folder) => readBundled(root, folder)), copied(root)];
  writeFileSync(join(root, 'dist', FILE), licenseText(bundled));
  for (const file of metafiles) rmSync(file);
}

if (import.meta.main) writeLicenses(join(import.meta.dirname, '../..'));
