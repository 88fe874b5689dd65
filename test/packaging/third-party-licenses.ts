// Writes the licences of every package bundled into dist/, according to esbuild's metafiles, and the list of all parts (SBOM).
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FILE = 'THIRD-PARTY-LICENSES';
export const SBOM_FILE = 'sbom.cdx.json';

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

type Part = Omit<Bundled, 'text'>;

/** In the format of CycloneDX; without a time, so that the same sources give the same file. */
export function sbomText(program: Part, bundled: readonly Part[], installed: readonly Part[]): string {
  const component = ({ name, version, license }: Part, type = 'library') => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    // Some packages name no identifier of SPDX.
    const named = /\bApache\b(?!-)/.test(license) ? { license: { name: license } } : { expression: license };
    return { type, 'bom-ref': purl, name, version, licenses: [named], purl };
  };
  const how = (value: string) => ({ properties: [{ name: 'vaultgraph:how', value }] });
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component(program, 'application') },
    components: [
      ...bundled.map((part) => ({ ...component(part), ...how('bundled') })),
      ...installed.map((part) => ({ ...component(part), ...how('installed') })),
    ],
  };
  return `${JSON.stringify(sbom, null, 1)}\n`;
}

/** The packages with native parts and what they need, for every system, as the lock file names them. */
function installedParts(root: string): Part[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { version: string; license?: string; dev?: true; devOptional?: true }>>;
  };
  return Object.entries(packages).flatMap(([path, { version, license, dev, devOptional }]) => {
    if (path === '' || dev || devOptional) return [];
    if (license === undefined) throw new Error(`${path} names no licence`);
    return [{ name: path.replace(/^.*node_modules\//, ''), version, license }];
  });
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
  const program = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Part;
  writeFileSync(join(root, 'dist', SBOM_FILE), sbomText(program, bundled, installedParts(root)));
  for (const file of metafiles) rmSync(file);
}

if (import.meta.main) writeLicenses(join(import.meta.dirname, '../..'));
