// Packs the built program and installs the package as on another machine.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { npm, pathBehind } from '../packages/npm.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** Makes native builds fail: an installation must not need one. */
const NO_COMPILER = { CC: 'false', CXX: 'false', MAKE: 'false', npm_config_node_gyp: join(ROOT, 'no-such-program') };

export interface Packed {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  readonly unpackedSize: number;
  /** Relative to the package. */
  readonly paths: readonly string[];
}

export interface Installed {
  /** The package's folder, in a path with spaces. */
  readonly folder: string;
  /** The link that npm created. */
  readonly program: string;
}

/** A folder that the caller removes. */
export function workFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'vaultgraph package '));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** The environment of a shell with `node` installed. */
export function environment(home: string, node = process.execPath): { readonly HOME: string; readonly PATH: string } {
  return { HOME: home, PATH: pathBehind(node) };
}

/** Without the build scripts, because the tests use the existing dist/. */
export function pack(into: string): Packed {
  const [reported] = JSON.parse(npm(ROOT, ['pack', '--ignore-scripts', '--json', '--pack-destination', into]));
  const { filename, size, unpackedSize, files } = reported;
  return { file: join(into, filename), size, unpackedSize, paths: files.map(({ path }: { path: string }) => path) };
}

export function install(packed: Packed, into: string): Installed {
  const folder = join(into, 'a place with spaces');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(folder, ['install', packed.file, '--no-audit', '--no-fund'], NO_COMPILER);
  const program = join(folder, 'node_modules/.bin/vaultgraph');
  return { folder: join(folder, 'node_modules/vaultgraph'), program };
}

/** Kept between test runs, because each is 100 MB or more. */
const NODES = join(tmpdir(), 'vaultgraph-test-nodes');

/** The latest Node of that major version, from an npm package that contains only the program. */
export function fetchNode(major: number): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const kept = join(NODES, `${name}-${major}`);
  if (!existsSync(kept)) fetchPackage(`${name}@${major}`, kept);
  const bin = join(kept, 'node_modules', name, 'bin');
  return join(bin, readdirSync(bin)[0] ?? 'node');
}

/** Atomic, also if several processes fetch the same package. */
function fetchPackage(specifier: string, kept: string): void {
  mkdirSync(NODES, { recursive: true });
  const folder = mkdtempSync(`${kept}-`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(folder, ['install', specifier, '--ignore-scripts', '--no-audit', '--no-fund']);
  if (existsSync(kept)) rmSync(folder, { recursive: true });
  else renameSync(folder, kept);
}

export interface FirstAnswer {
  readonly tools: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: a client reads the answer without types.
  readonly structured: any;
  readonly version: string;
}

/** A handshake, the tool list and one call, as a client makes them. */
export async function firstAnswer(command: string, args: readonly string[], home: string): Promise<FirstAnswer> {
  const env = { ...environment(home) };
  const client = new Client({ name: 'packaging', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args: [...args], env, cwd: home, stderr: 'ignore' }));
  try {
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: 'search_text', arguments: { query: 'tide' } });
    const version = client.getServerVersion()?.version ?? '';
    return { tools: tools.map(({ name }) => name), structured: structuredContent, version };
  } finally {
    await client.close();
  }
}

export function manifestOf(folder: string): Record<string, never> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
