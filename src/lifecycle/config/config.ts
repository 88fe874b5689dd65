// Turns flags, environment and the YAML file into one validated config, or a list of all faults.
import type { ZodType } from 'zod';
import { type ConfigFault, VaultgraphError } from '../../base/errors.ts';
import type { AnyProvider } from '../../contracts/provider.ts';
import {
  type ConfigDocument,
  holdsSecret,
  type KeyPath,
  NO_DOCUMENT,
  parseConfigDocument,
  schemaAt,
} from './config-document.ts';
import {
  type ConfigFile,
  type ConfigSources,
  folderVariableFaults,
  locateConfigFile,
  type ReadFile,
  readConfigFile,
} from './config-sources.ts';
import {
  findVaultFolder,
  folderOfVault,
  locateOwnFolders,
  type OwnFolders,
  ownFolderFaults,
  type VaultFolder,
  viewIdOf,
} from './folders.ts';
import { readableGlobs, readProviderSections, readVaultSection, type Section } from './provider-sections.ts';
import { readSection, without } from './section.ts';
import {
  type OutputFiles,
  outputFaults,
  outputFiles,
  SERVER_SETTINGS,
  type ServerSettings,
  toolFaults,
} from './server-settings.ts';

/** Frozen. The keys of the server's own settings are spelled as in the YAML. */
export interface Config extends ServerSettings {
  /** As the user wrote it; null if there is none. */
  readonly file: string | null;
  /** Absolute, links resolved. */
  readonly vaultRoot: string;
  /** This vault's own folder for everything derived; outside the vault, perhaps not there yet. */
  readonly dataFolder: string;
  /** This vault's own folder for the change log; likewise. */
  readonly stateFolder: string;
  /** Names the part of the vault that clients may see; undefined for the whole vault. */
  readonly viewId: string | undefined;
  /** The vault first, then the providers. */
  readonly sections: readonly Section[];
  readonly settings: readonly Setting[];
  readonly outputs: OutputFiles;
}

/**
 * @param toolNames of all tools; names in `tools` are not checked if it is absent
 * @throws CONFIG_INVALID with every fault of the config, the vault's path and the folders for index and change log
 * @throws CONFIG_MISSING when nothing names a vault and nothing else is wrong
 */
export async function readConfig(
  sources: ConfigSources,
  catalog: readonly AnyProvider[],
  toolNames?: readonly string[],
): Promise<Config> {
  const located = locateConfigFile(sources);
  const own = locateOwnFolders(sources);
  const read = await readConfigFile(located);
  const { document, faults: textFaults } = readDocument(read);
  const { folder, faults: folderFaults } = await findVaultFolder(sources, document, located.path);
  const server = readSection(SERVER_SETTINGS, serverSource(document), sources.env);
  const vault = readVaultSection(document, catalog, sources.env, folder?.root);
  const providers = readProviderSections(document, catalog, sources.env);
  const faults = [...folderVariableFaults(sources), ...textFaults, ...folderFaults, ...vault.faults];
  faults.push(...providers.faults, ...server.faults);
  if (server.value && toolNames) faults.push(...toolFaults(server.value.tools, toolNames, document));
  const outputs = outputFiles(server.value, document, sources);
  if (folder !== undefined) {
    faults.push(...(await ownFolderFaults(own, folder.root)), ...(await outputFaults(outputs, folder.root)));
  }
  if (faults.length > 0 || server.value === undefined) {
    throw new VaultgraphError('CONFIG_INVALID', { faults: inReadingOrder(faults) });
  }
  if (folder === undefined) throw vaultMissing(read);
  const sections = [...vault.sections, ...providers.sections];
  const found = { file: read.text === undefined ? null : located, own, folder, document, outputs };
  return createConfig(found, server.value, sections);
}

interface Found {
  readonly file: ConfigFile | null;
  readonly own: OwnFolders;
  readonly folder: VaultFolder;
  readonly document: ConfigDocument;
  readonly outputs: OutputFiles;
}

function createConfig(found: Found, server: ServerSettings, sections: readonly Section[]): Config {
  const { file, own, folder, outputs } = found;
  const viewId = viewIdOf(readableGlobs(sections));
  return Object.freeze({
    ...server,
    outputs,
    file: file?.rawPath ?? null,
    vaultRoot: folder.root,
    dataFolder: folderOfVault(own.data, folder.root, viewId),
    stateFolder: folderOfVault(own.state, folder.root),
    ...{ viewId, sections },
    settings: allSettings(found, server, sections),
  });
}

/** A file that cannot be read or parsed has faults and no keys; what flags and variables say is checked all the same. */
function readDocument(read: ReadFile): { readonly document: ConfigDocument; readonly faults: readonly ConfigFault[] } {
  if (read.text === undefined) return { document: NO_DOCUMENT, faults: read.faults };
  const { document = NO_DOCUMENT, faults } = parseConfigDocument(read.file.rawPath, read.text);
  return { document, faults };
}

function serverSource(document: ConfigDocument) {
  const taken = ['vault', 'providers'];
  return { document, path: [], data: without(document.data, taken), taken };
}

function vaultMissing({ file, text }: ReadFile): VaultgraphError {
  const fileName = text === undefined ? `${file.rawPath} (no such file)` : `vault.path in ${file.rawPath}`;
  return new VaultgraphError('CONFIG_MISSING', {
    key: 'vault.path',
    looked_in: ['--vault', '$OBSIDIAN_VAULT_PATH', fileName],
  });
}

/** Flags and variables first, then in the order of the file, without duplicates. */
function inReadingOrder(faults: readonly ConfigFault[]): ConfigFault[] {
  const place = ({ line = 0, column = 0 }: ConfigFault): number => line * 100_000 + column;
  const sorted = [...faults].sort((one, other) => place(one) - place(other));
  return sorted.filter((fault, index) => JSON.stringify(fault) !== JSON.stringify(sorted[index - 1]));
}

function allSettings(found: Found, server: ServerSettings, sections: readonly Section[]): Setting[] {
  const { file, own, folder, document } = found;
  return [
    { key: 'config', value: file?.rawPath ?? null, origin: file?.origin ?? 'default' },
    { key: 'data_dir', value: own.data.path, origin: own.data.origin },
    { key: 'state_dir', value: own.state.path, origin: own.state.origin },
    ...sections.filter(isNamed).flatMap((section) => sectionSettings(section, folder, document)),
    ...settingsOf(SERVER_SETTINGS, server, [], document),
  ];
}

/** The writer shares the vault's section. */
const isNamed = ({ provider }: Section): boolean => provider.capability !== 'writer';

function sectionSettings(section: Section, folder: VaultFolder, document: ConfigDocument): Setting[] {
  const { provider, config, path } = section;
  const own = settingsOf(provider.config, config, path, document);
  if (provider.capability === 'vault') {
    return own.map((setting) => (setting.key === 'vault.path' ? { ...setting, origin: folder.origin } : setting));
  }
  const type = single([...path, 'type'], provider.type, document);
  return [type, ...own, ...fallbackSettings(section, folder, document)];
}

function fallbackSettings({ provider, path, fallback }: Section, folder: VaultFolder, document: ConfigDocument) {
  const at = [...path, 'fallback'];
  if (provider.capability !== 'embedding') return [];
  if (fallback === undefined) return [single(at, null, document)];
  const useOn = single([...at, 'use_on'], fallback.useOn, document);
  return [...sectionSettings(fallback.section, folder, document), useOn];
}

function single(path: KeyPath, value: unknown, document: ConfigDocument): Setting {
  return { key: path.join('.'), value, origin: originOf(document, path) };
}

interface Setting {
  /** Dotted, as in the YAML. */
  readonly key: string;
  readonly value: unknown;
  /** `--vault`, `$OBSIDIAN_VAULT_PATH`, `config.yaml:3` or `default`. */
  readonly origin: string;
}

/** One row per single value or list of a validated section, in the order of its schema. */
function settingsOf(schema: ZodType, value: unknown, path: KeyPath, document: ConfigDocument): Setting[] {
  return leavesOf(value, []).map(({ steps, leaf }) => ({
    key: [...path, ...steps].join('.'),
    value: holdsSecret(schemaAt(schema, steps)) ? '(secret)' : leaf,
    origin: originOf(document, [...path, ...steps]),
  }));
}

function originOf(document: ConfigDocument, path: KeyPath): string {
  if (!document.has(path)) return 'default';
  const { file, line } = document.placeOf(path, 'key');
  return `${file}:${line}`;
}

function leavesOf(value: unknown, steps: KeyPath): { readonly steps: KeyPath; readonly leaf: unknown }[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ steps, leaf: value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...steps, key]));
}
