// Finds the config file that applies and reads its text.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigFault } from '../../base/errors.ts';
import { absolutePath, type ConfigSources, fromFlagOrVariable, type Named, platformFolder } from './config-sources.ts';

/** Far above any real config, far below what would hold up the start. */
const MAX_BYTES = 256 * 1024;

export interface ConfigFile extends Named {
  /** Absolute. */
  readonly path: string;
}

export type ReadFile =
  | { readonly file: ConfigFile; readonly text: string; readonly faults: readonly [] }
  | { readonly file: ConfigFile; readonly text: undefined; readonly faults: readonly ConfigFault[] };

/** The file named by flag or variable, else the platform's; never one inside the vault that nobody named. */
export function locateConfigFile(sources: ConfigSources): ConfigFile {
  const { flags, cwd, home } = sources;
  const named = fromFlagOrVariable(sources, { name: '--config', value: flags.config }, 'VAULTGRAPH_CONFIG');
  if (named !== undefined) return { ...named, path: absolutePath(named.written, cwd, home) };
  const path = join(platformFolder('config', sources).written, 'config.yaml');
  return { written: path, origin: 'default', path };
}

/** `text` is undefined with no fault when nobody named a file and the platform's place has none. */
export async function readConfigFile(file: ConfigFile): Promise<ReadFile> {
  const refused = (what: string): ReadFile => ({ file, text: undefined, faults: [{ file: file.written, what }] });
  try {
    const { size, isFile } = await statOf(file.path);
    if (!isFile) return refused('is not a file');
    if (size > MAX_BYTES) return refused(`is ${size} bytes long, a config has at most ${MAX_BYTES}`);
    return { file, text: decoded(await readFile(file.path)), faults: [] };
  } catch (thrown) {
    const reason = refusalOf(thrown);
    if (reason !== ABSENT) return refused(reason);
    if (file.origin === 'default') return { file, text: undefined, faults: [] };
    return { file, text: undefined, faults: [{ file: file.origin, what: `no config file at ${file.written}` }] };
  }
}

/** A pipe or device in the place of the file would hold its reader for ever, so it is looked at first. */
async function statOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await stat(path);
  return { size: stats.size, isFile: stats.isFile() };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

const ABSENT = 'absent';

/** @throws what is neither the system's nor the decoder's word */
function refusalOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return ABSENT;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  if (code === undefined) throw thrown;
  return `cannot be read (${code})`;
}
