// Turns flags, environment and the YAML file into the validated config of one vault, or a list of all faults.

import type { ZodType } from 'zod';
import { type ConfigFault, VaultgraphError } from '../base/errors.ts';
import { liesInside } from '../base/local-path.ts';
import type { AnyProvider } from '../contracts/provider.ts';
import type { VaultConfig } from '../contracts/vault.ts';
import {
  type ConfigDocument,
  holdsSecret,
  type KeyPath,
  NO_DOCUMENT,
  parseConfigDocument,
  schemaAt,
} from './config-document.ts';
import {
  absolutePath,
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
  scopeIdOf,
  type UnavailableFolder,
  VAULT_KEY,
  type VaultFolder,
  viewIdOf,
} from './folders.ts';
import { indexFile, readProviderSections, readVaultSection, type Section, type Sections } from './provider-sections.ts';
import { readSection, type SectionResult, valueAt, without } from './section.ts';
import {
  type OutputFiles,
  outputFaults,
  outputFiles,
  SERVER_SETTINGS,
  type ServerSettings,
  TOOL_SWITCHES,
  type ToolSwitches,
  toolFaults,
} from './server-settings.ts';

/** Frozen. The keys of the server's own settings are spelled as in the YAML. */
export interface Config extends ServerSettings {
  /** The file as the user wrote it; null if there is none. */
  readonly file: string | null;
  /** The name in `vaults`; undefined for the vault of the section `vault`. */
  readonly name: string | undefined;
  /** `vault` or `vaults.NAME`. */
  readonly vaultKey: string;
  /** The values of the vault's section; those of the providers are in `sections`. */
  readonly vault: VaultConfig;
  /** The switches of this vault, beside those of the server. */
  readonly vaultTools: ToolSwitches;
  /** Absolute, links resolved. */
  readonly vaultRoot: string;
  /** This vault's own folder for everything derived; outside the vault, perhaps not there yet. */
  readonly dataFolder: string;
  /** This vault's own folder for the change log; likewise. */
  readonly stateFolder: string;
  /** Names the part of the vault that clients may see; undefined for the whole vault. */
  readonly viewId: string | undefined;
  /** Names the files that are listed; undefined for all. */
  readonly scopeId: string | undefined;
  /** The vault first, then the providers. */
  readonly sections: readonly Section[];
  /** A row to show for each value, with its origin. */
  readonly settings: readonly Setting[];
  readonly outputs: OutputFiles;
}

/** The config file and what it says of all vaults, read once; flags and variables beside it. */
export interface ConfigReading {
  readonly sources: ConfigSources;
  readonly catalog: readonly AnyProvider[];
  /** The names of all tools; names in `tools` are not checked if it is absent. */
  readonly toolNames?: readonly string[];
  readonly file: ReadFile;
  readonly own: OwnFolders;
  readonly document: ConfigDocument;
  readonly server: SectionResult<ServerSettings>;
  readonly providers: Sections;
  readonly outputs: OutputFiles;
  /** All but those of a vault. */
  readonly faults: readonly ConfigFault[];
}

/** Never throws a fault: those of the file are reported together with the others. */
export async function readSources(
  sources: ConfigSources,
  catalog: readonly AnyProvider[],
  toolNames?: readonly string[],
): Promise<ConfigReading> {
  const file = await readConfigFile(locateConfigFile(sources));
  const { document, faults } = readDocument(file);
  const server = readSection(SERVER_SETTINGS, serverSource(document), sources.env);
  const providers = readProviderSections(document, catalog, sources.env);
  const all = [...folderVariableFaults(sources), ...faults, ...providers.faults, ...server.faults];
  if (server.value && toolNames) {
    const { tools, mcp } = server.value;
    all.push(...toolFaults(tools, toolNames, document));
    all.push(...toolFaults({ always_load: mcp.always_load }, toolNames, document, ['mcp']));
  }
  return {
    sources,
    catalog,
    ...(toolNames && { toolNames }),
    file,
    own: locateOwnFolders(sources),
    document,
    server,
    providers,
    outputs: outputFiles(server.value, document, sources),
    faults: all,
  };
}

/**
 * The config of the section `vault`.
 * @param toolNames of all tools; names in `tools` are not checked if it is absent
 * @throws CONFIG_INVALID with every fault of the config, the vault's path and the folders for index and change log
 * @throws CONFIG_MISSING when nothing names a vault and nothing else is wrong
 */
export async function readConfig(
  sources: ConfigSources,
  catalog: readonly AnyProvider[],
  toolNames?: readonly string[],
): Promise<Config> {
  return readVaultConfig(await readSources(sources, catalog, toolNames));
}

/** The config of the vault at `key`. @throws as `readConfig` */
export async function readVaultConfig(reading: ConfigReading, key: KeyPath = VAULT_KEY): Promise<Config> {
  const { config, faults, unavailable } = await inspectVault(reading, key);
  const all = unavailable === undefined ? faults : [...faults, unavailable.fault];
  if (all.length > 0) throw new VaultgraphError('CONFIG_INVALID', { faults: inReadingOrder(all) });
  if (config === undefined) throw vaultMissing(reading.file);
  return config;
}

export interface InspectedVault {
  /** Undefined if there are faults, or no folder is named. */
  readonly config: Config | undefined;
  readonly faults: readonly ConfigFault[];
  /** Why its folder cannot be opened now. */
  readonly unavailable?: UnavailableFolder;
}

/** Reads the section of the vault at `key`, and checks that nothing is kept inside its folder. */
export async function inspectVault(reading: ConfigReading, key: KeyPath): Promise<InspectedVault> {
  const { sources, catalog, own, document, server, providers, outputs } = reading;
  const place = await findVaultFolder(sources, document, reading.file.file.path, key);
  const { folder, unavailable } = place;
  const vault = readVaultSection(document, catalog, sources.env, folder?.root, key);
  const switches = readSwitches(reading, key);
  const faults = [...place.faults, ...vault.faults, ...switches.faults, ...reading.faults];
  if (folder !== undefined) {
    faults.push(...(await ownFolderFaults(own, folder.root)), ...(await outputFaults(outputs, folder.root)));
    faults.push(...(await indexFileFaults(providers.sections, reading, folder.root)));
  }
  const gone = unavailable === undefined ? {} : { unavailable };
  if (faults.length > 0 || folder === undefined || server.value === undefined) {
    return { config: undefined, faults, ...gone };
  }
  const vaultTools = switches.value ?? NO_SWITCHES;
  const sections = [...vault.sections, ...providers.sections];
  return { config: createConfig({ reading, key, folder, vaultTools }, server.value, sections), faults, ...gone };
}

/** A configured file of the index is refused inside the vault, which is never written to, before a server is started with it. */
async function indexFileFaults(
  sections: readonly Section[],
  { document, sources }: ConfigReading,
  vaultRoot: string,
): Promise<readonly ConfigFault[]> {
  const path = indexFile(sections);
  if (path === undefined || !(await liesInside(vaultRoot, absolutePath(path, sources.cwd, sources.home)))) return [];
  const key = 'providers.store.path';
  const what = `\`${key}\` is inside the vault, which is never written to; name a file outside of it, or leave it out`;
  return [{ ...document.placeOf(key.split('.'), 'value'), key, what }];
}

const NO_SWITCHES: ToolSwitches = { except: [] };

/** The switches of one of several vaults. */
function readSwitches({ document, sources, toolNames }: ConfigReading, key: KeyPath): SectionResult<ToolSwitches> {
  const path = [...key, 'tools'];
  if (key.length === 1) return { value: NO_SWITCHES, faults: [] };
  const read = readSection(
    TOOL_SWITCHES,
    { document, path, data: valueAt(document.data, path), taken: [] },
    sources.env,
  );
  if (read.value === undefined || toolNames === undefined) return read;
  const faults = toolFaults(read.value, toolNames, document, path);
  return faults.length === 0 ? read : { value: undefined, faults };
}

interface VaultParts {
  readonly reading: ConfigReading;
  readonly key: KeyPath;
  readonly folder: VaultFolder;
  readonly vaultTools: ToolSwitches;
}

function createConfig(parts: VaultParts, server: ServerSettings, sections: readonly Section[]): Config {
  const { reading, key, folder, vaultTools } = parts;
  const { own, document, outputs } = reading;
  const file = namedFile(reading);
  const vault = sections[0]?.config as VaultConfig;
  const viewId = viewIdOf(vault.read);
  return Object.freeze({
    ...server,
    outputs,
    vaultTools,
    file: file?.rawPath ?? null,
    name: key.length === 1 ? undefined : String(key.at(-1)),
    vaultKey: key.join('.'),
    vault,
    vaultRoot: folder.root,
    dataFolder: folderOfVault(own.data, folder.root, viewId),
    stateFolder: folderOfVault(own.state, folder.root),
    viewId,
    scopeId: scopeIdOf(vault.read, vault.exclude),
    sections,
    settings: allSettings({ file, own, folder, document, key, vaultTools }, server, sections),
  });
}

/** Null if there is no file in the default place. */
const namedFile = ({ file }: ConfigReading): ConfigFile | null => (file.text === undefined ? null : file.file);

/** Where a setting is from, such as `config.yaml:3`; undefined for a key that it has not. */
export const originOf = ({ settings }: Pick<Config, 'settings'>, key: string): string | undefined =>
  settings.find((setting) => setting.key === key)?.origin;

/** A file that cannot be read or parsed has faults and no keys; what flags and variables say is checked all the same. */
function readDocument(read: ReadFile): { readonly document: ConfigDocument; readonly faults: readonly ConfigFault[] } {
  if (read.text === undefined) return { document: NO_DOCUMENT, faults: read.faults };
  const { document = NO_DOCUMENT, faults } = parseConfigDocument(read.file.rawPath, read.text);
  return { document, faults };
}

function serverSource(document: ConfigDocument) {
  const taken = ['vault', 'vaults', 'views', 'providers'];
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
export function inReadingOrder(faults: readonly ConfigFault[]): ConfigFault[] {
  const place = ({ line = 0, column = 0 }: ConfigFault): number => line * 100_000 + column;
  const sorted = [...faults].sort((one, other) => place(one) - place(other));
  return sorted.filter((fault, index) => JSON.stringify(fault) !== JSON.stringify(sorted[index - 1]));
}

interface Setting {
  /** Dotted, as in the YAML. */
  readonly key: string;
  readonly value: unknown;
  /** `--vault`, `$OBSIDIAN_VAULT_PATH`, `config.yaml:3` or `default`. */
  readonly origin: string;
}

/** Where the values of a config come from. */
interface SettingSources {
  readonly file: ConfigFile | null;
  readonly own: OwnFolders;
  readonly document: ConfigDocument;
}

/** The settings that are none of a vault. */
function sharedSettings({ file, own }: SettingSources): Setting[] {
  return [
    { key: 'config', value: file?.rawPath ?? null, origin: file?.origin ?? 'default' },
    { key: 'data_dir', value: own.data.path, origin: own.data.origin },
    { key: 'state_dir', value: own.state.path, origin: own.state.origin },
  ];
}

/** The sources of the settings of one vault. */
interface VaultSources extends SettingSources {
  readonly folder: VaultFolder;
  readonly key: KeyPath;
  readonly vaultTools: ToolSwitches;
}

function allSettings(sources: VaultSources, server: ServerSettings, sections: readonly Section[]): Setting[] {
  const { folder, document } = sources;
  return [
    ...sharedSettings(sources),
    ...sections.filter(isNamed).flatMap((section) => sectionSettings(section, folder, document)),
    ...switchSettings(sources),
    ...settingsOf(SERVER_SETTINGS, server, [], document),
  ];
}

/** Only one of several vaults has switches of its own. */
function switchSettings({ key, vaultTools, document }: VaultSources): Setting[] {
  return key.length === 1 ? [] : settingsOf(TOOL_SWITCHES, vaultTools, [...key, 'tools'], document);
}

/** The writer shares the vault's section. */
const isNamed = ({ provider }: Section): boolean => provider.capability !== 'writer';

function sectionSettings(section: Section, folder: VaultFolder, document: ConfigDocument): Setting[] {
  const { provider, config, path } = section;
  const own = settingsOf(provider.config, config, path, document);
  if (provider.capability === 'vault') {
    const pathKey = [...path, 'path'].join('.');
    return own.map((setting) => (setting.key === pathKey ? { ...setting, origin: folder.origin } : setting));
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
  return { key: path.join('.'), value, origin: originIn(document, path) };
}

/** One row per single value or list of a validated section, in the order of its schema. */
function settingsOf(schema: ZodType, value: unknown, path: KeyPath, document: ConfigDocument): Setting[] {
  return leavesOf(value, []).map(({ steps, leaf }) => ({
    key: [...path, ...steps].join('.'),
    value: holdsSecret(schemaAt(schema, steps)) ? '(secret)' : leaf,
    origin: originIn(document, [...path, ...steps]),
  }));
}

function originIn(document: ConfigDocument, path: KeyPath): string {
  if (!document.has(path)) return 'default';
  const { file, line } = document.placeOf(path, 'key');
  return `${file}:${line}`;
}

function leavesOf(value: unknown, steps: KeyPath): { readonly steps: KeyPath; readonly leaf: unknown }[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ steps, leaf: value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...steps, key]));
}
