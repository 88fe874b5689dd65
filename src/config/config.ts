// Turns flags, environment and the YAML file into the validated configs of the vaults and views that they name, or a list of all faults.
import { type ConfigFault, quoted, VaultgraphError } from '../base/errors.ts';
import { isBelow, liesInside } from '../base/local-path.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import type { AnyProvider } from '../contracts/provider.ts';
import type { VaultConfig } from '../contracts/vault.ts';
import {
  type ConfigDocument,
  type Environment,
  emptyDocument,
  type KeyPath,
  parseConfigDocument,
  type ReadDocument,
  readSection,
  type SectionResult,
  valueAt,
  without,
} from './config-document.ts';
import {
  absolutePath,
  type ConfigFile,
  type ConfigSources,
  findVaultFolder,
  folderOfVault,
  folderVariableFaults,
  locateConfigFile,
  locateOwnFolders,
  type OwnFolders,
  ownFolderFaults,
  type ReadFile,
  readConfigFile,
  scopeIdOf,
  type UnavailableFolder,
  VAULT_KEY,
  type VaultFolder,
  viewIdOf,
} from './config-sources.ts';
import { indexFile, readProviderSections, readVaultSection, type Section, type Sections } from './provider-sections.ts';
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
import { allSettings, type Setting } from './setting-rows.ts';

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
  const { document, faults } = readDocument(file, sources.env);
  const server = readSection(SERVER_SETTINGS, serverSource(document));
  const providers = readProviderSections(document, catalog);
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
async function readVaultConfig(reading: ConfigReading, key: KeyPath = VAULT_KEY): Promise<Config> {
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
async function inspectVault(reading: ConfigReading, key: KeyPath): Promise<InspectedVault> {
  const { sources, catalog, own, document, server, providers, outputs } = reading;
  const place = await findVaultFolder(sources, document, reading.file.file.path, key);
  const { folder, unavailable } = place;
  const vault = readVaultSection(document, catalog, folder?.root, key);
  const switches = readSwitches(reading, key);
  const faults = [...place.faults, ...vault.faults, ...switches.faults, ...reading.faults];
  if (folder !== undefined) {
    const index = indexFile(providers.sections);
    const others = {
      'the config': reading.file.file.path,
      '`providers.store.path`': index && absolutePath(index, sources.cwd, sources.home),
    };
    faults.push(...(await ownFolderFaults(own, folder.root)), ...(await outputFaults(outputs, folder.root, others)));
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
function readSwitches({ document, toolNames }: ConfigReading, key: KeyPath): SectionResult<ToolSwitches> {
  const path = [...key, 'tools'];
  if (key.length === 1) return { value: NO_SWITCHES, faults: [] };
  const section = readSection(TOOL_SWITCHES, { document, path, data: valueAt(document.data, path) });
  if (section.value === undefined || toolNames === undefined) return section;
  const faults = toolFaults(section.value, toolNames, document, path);
  return faults.length === 0 ? section : { value: undefined, faults };
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

/** A file that cannot be read or parsed has faults and no keys; what flags and variables say is checked all the same. */
function readDocument({ file, text, faults }: ReadFile, env: Environment): ReadDocument & { document: ConfigDocument } {
  const parsed = text === undefined ? { document: undefined, faults } : parseConfigDocument(file.rawPath, text, env);
  return { document: parsed.document ?? emptyDocument(env), faults: parsed.faults };
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
function inReadingOrder(faults: readonly ConfigFault[]): ConfigFault[] {
  const place = ({ line = 0, column = 0 }: ConfigFault): number => line * 100_000 + column;
  const sorted = [...faults].sort((one, other) => place(one) - place(other));
  return sorted.filter((fault, index) => JSON.stringify(fault) !== JSON.stringify(sorted[index - 1]));
}

// `vaults`: each with a section of its own, or the one of `vault`.

/** One of several vaults. */
export interface VaultEntry {
  readonly name: string;
  /** The config at the start; its folder may not have been there. */
  readonly config: Config;
  /** Looks for its folder again. @throws VAULT_UNAVAILABLE; CONFIG_INVALID if it has become a part of another vault */
  read(): Promise<Config>;
}

/** Exactly one of the two. */
export type VaultConfigs = { readonly one: Config } | { readonly several: readonly VaultEntry[] };

/** Names that are the beginning of a URI or of a path with a drive, and so cannot begin a note reference. */
export const RESERVED_NAMES: readonly string[] = ['note', 'obsidian', 'file', 'http', 'https', 'all'];
const VAULT_NAME = /^[a-z][a-z0-9-]{1,31}$/;
const VAULT_NAME_RULE =
  'a name of a vault has 2 to 32 lower-case letters, digits and hyphens, and begins with a letter';

/**
 * The vaults of a server. A flag `--vault` with a name in `vaults` chooses that one; a single entry is served like `vault`.
 * @throws CONFIG_INVALID with every fault at once, except folders that cannot be opened: each is its vault's own affair
 * @throws CONFIG_MISSING when nothing names a vault and nothing else is wrong
 */
export async function readVaultConfigs(reading: ConfigReading): Promise<VaultConfigs> {
  const { sources } = reading;
  const { vaults } = reading.document.data;
  if (vaults === undefined) return { one: await readVaultConfig(reading) };
  const names = isObject(vaults) ? Object.keys(vaults) : [];
  const chosen = names.includes(sources.flags.vault ?? '') ? sources.flags.vault : undefined;
  const faults = [...sectionFaults(reading), ...(chosen === undefined ? outsideFaults(reading, names) : [])];
  if (faults.length > 0) throw invalid([...reading.faults, ...faults]);
  const only = chosen ?? (names.length === 1 ? names[0] : undefined);
  if (only !== undefined) return { one: await readVaultConfig(reading, ['vaults', only]) };
  return { several: await readSeveral(reading, names) };
}

async function readSeveral(reading: ConfigReading, names: readonly string[]): Promise<readonly VaultEntry[]> {
  const inspected = await Promise.all(
    names.map(async (name) => ({ name, ...(await inspectVault(reading, ['vaults', name])) })),
  );
  const configs = inspected.flatMap(({ config }) => (config === undefined ? [] : [config]));
  const faults = [
    ...inspected.flatMap((vault) => (vault.config === undefined ? missingFaults(reading, vault.name, vault) : [])),
    ...overlapFaults(reading, configs),
    ...storeFaults(reading, configs),
  ];
  if (faults.length > 0) throw invalid(faults);
  return configs.map((config) => {
    const name = config.name ?? '';
    return Object.freeze({ name, config, read: () => readAgain(reading, name, configs) });
  });
}

/** A folder that was not there at the start may now be, behind a link, that of another vault. */
async function readAgain(reading: ConfigReading, name: string, configs: readonly Config[]): Promise<Config> {
  const { config, faults: own, unavailable } = await inspectVault(reading, ['vaults', name]);
  if (unavailable !== undefined) throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: unavailable.errno });
  if (config === undefined) throw invalid(own);
  const others = configs.filter((other) => other.name !== name);
  const faults = overlapFaults(reading, [...others, config]);
  if (faults.length > 0) throw invalid(faults);
  return config;
}

function missingFaults({ document }: ConfigReading, name: string, { faults }: InspectedVault): readonly ConfigFault[] {
  if (faults.length > 0) return faults;
  const key = `vaults.${name}.path`;
  return [{ ...document.placeOf(['vaults', name], 'key'), key, what: `\`${key}\` is missing` }];
}

/** The faults of `vaults` as a whole. */
function sectionFaults({ document }: ConfigReading): readonly ConfigFault[] {
  const { vault, vaults } = document.data;
  const place = document.placeOf(['vaults'], 'key');
  const both = { ...place, key: 'vaults', what: '`vault` and `vaults` do not go together; use one of the two' };
  const faults = vault === undefined ? [] : [both];
  if (!isObject(vaults) || Object.keys(vaults).length === 0) {
    return [...faults, { ...place, key: 'vaults', what: '`vaults` must be a map from names to vaults' }];
  }
  const wrong = Object.keys(vaults).filter((name) => !VAULT_NAME.test(name) || RESERVED_NAMES.includes(name));
  return [...faults, ...wrong.map((name) => nameFault(document, name))];
}

function nameFault(document: ConfigReading['document'], name: string): ConfigFault {
  const rule = VAULT_NAME.test(name) ? `other than ${RESERVED_NAMES.join(', ')}` : VAULT_NAME_RULE;
  return {
    ...document.placeOf(['vaults', name], 'key'),
    key: 'vaults',
    what: `a vault cannot be named ${quoted(name)}: ${rule}`,
  };
}

/** A folder named outside the file would be one vault more, or replace one: that is not decidable. */
function outsideFaults({ sources, file }: ConfigReading, names: readonly string[]): readonly ConfigFault[] {
  const { vault: flag } = sources.flags;
  const rest = `${file.file.rawPath} has \`vaults\``;
  if (flag !== undefined) {
    const what = `${quoted(flag)} is none of the vaults; ${rest}, and --vault chooses one by its name`;
    return [{ file: '--vault', what, allowed: names, ...didYouMean(flag, names) }];
  }
  if (!sources.env.OBSIDIAN_VAULT_PATH) return [];
  return [
    { file: '$OBSIDIAN_VAULT_PATH', what: `names a vault, and ${rest}; unset the variable, or remove the section` },
  ];
}

/** The notes of a folder within another vault would show in both, and two locks would guard the same files. */
function overlapFaults({ document }: ConfigReading, configs: readonly Config[]): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  for (const [at, config] of configs.entries()) {
    for (const other of configs.filter((_, index) => index !== at)) {
      const isSame = config.vaultRoot === other.vaultRoot;
      if (isSame && configs.indexOf(other) > at) continue;
      if (!isSame && !isBelow(other.vaultRoot, config.vaultRoot)) continue;
      const [key, otherKey] = [`${config.vaultKey}.path`, `${other.vaultKey}.path`];
      const place = document.placeOf(['vaults', config.name ?? '', 'path'], 'value');
      const what = isSame
        ? `\`${key}\` is the same folder as \`${otherKey}\``
        : `\`${key}\` is inside \`${otherKey}\`, so its notes would show in both`;
      faults.push({ ...place, key, what });
    }
  }
  return faults;
}

/** One file holds the index of one vault. */
function storeFaults({ document }: ConfigReading, [config]: readonly Config[]): readonly ConfigFault[] {
  const key = 'providers.store.path';
  if (config === undefined || indexFile(config.sections) === undefined) return [];
  const what = `\`${key}\` names one file, and each of several vaults has its own; use --data-dir for another place`;
  return [{ ...document.placeOf(key.split('.'), 'value'), key, what }];
}

function invalid(faults: readonly ConfigFault[]): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', { faults: inReadingOrder(faults) });
}

// `views`: each is a vault with globs and tools of its own, for the tokens that name it.

const KEYS: readonly string[] = ['vault', 'access', 'consent', 'exclude', 'read', 'write', 'tools'];

/** The config of each view, by name; empty without `views`. @throws CONFIG_INVALID with every fault */
export async function readViewConfigs(
  reading: ConfigReading,
  vaults: VaultConfigs,
): Promise<ReadonlyMap<string, Config>> {
  const { views } = reading.document.data;
  if (views === undefined) return new Map();
  const fault = (path: KeyPath, what: string, more: Partial<ConfigFault> = {}): ConfigFault => ({
    ...reading.document.placeOf(path, 'key'),
    key: path.join('.'),
    what,
    ...more,
  });
  if (!isObject(views)) throw invalid([fault(['views'], '`views` must be a map from names to views')]);
  const faults: ConfigFault[] = [];
  const configs = new Map<string, Config>();
  for (const [name, view] of Object.entries(views)) {
    const shape = shapeFault(name, view, fault);
    const base = shape === undefined ? baseOf(view as View, vaults) : undefined;
    if (base === undefined) faults.push(shape ?? vaultFault(name, view as View, vaults, fault));
    else {
      const inspected = await inspectVault(withView(reading, name, view as View, base), ['views', name]);
      faults.push(...inspected.faults, ...(inspected.unavailable ? [inspected.unavailable.fault] : []));
      if (inspected.config !== undefined) configs.set(name, Object.freeze({ ...inspected.config, name: base.name }));
    }
  }
  if (faults.length > 0) throw invalid(faults);
  return configs;
}

type View = Readonly<Record<string, unknown>>;
type Fault = (path: KeyPath, what: string, more?: Partial<ConfigFault>) => ConfigFault;

function shapeFault(name: string, view: unknown, fault: Fault): ConfigFault | undefined {
  if (!VAULT_NAME.test(name)) return fault(['views', name], VAULT_NAME_RULE.replace('vault', 'view'));
  if (!isObject(view)) return fault(['views', name], `\`views.${name}\` must be a map`);
  const unknown = Object.keys(view).find((key) => !KEYS.includes(key));
  if (unknown === undefined) return undefined;
  const near = didYouMean(unknown, KEYS);
  const choices = near.did_you_mean === undefined ? { allowed: KEYS } : near;
  return fault(['views', name, unknown], `a view has no key \`${unknown}\``, choices);
}

/** The vault that a view shows: the only one, or the one that it names. */
function baseOf({ vault }: View, vaults: VaultConfigs): Config | undefined {
  if ('one' in vaults) return vault === undefined || vault === vaults.one.name ? vaults.one : undefined;
  return vaults.several.find(({ name }) => name === vault)?.config;
}

function vaultFault(name: string, { vault }: View, vaults: VaultConfigs, fault: Fault): ConfigFault {
  const path = ['views', name, 'vault'];
  if ('one' in vaults) return fault(path, 'there is only one vault, so a view names none');
  const allowed = vaults.several.map((entry) => entry.name);
  const what =
    vault === undefined ? 'a view names one of several vaults' : `there is no vault ${JSON.stringify(vault)}`;
  return fault(path, what, { allowed });
}

/** The same config, with a section for the view that has what it leaves out from its vault. */
function withView(reading: ConfigReading, name: string, { vault: _, ...own }: View, base: Config): ConfigReading {
  const { document } = reading;
  const section = valueAt(document.data, base.vaultKey.split('.'));
  const merged = { ...(isObject(section) ? section : {}), ...own, path: base.vaultRoot };
  return { ...reading, document: { ...document, data: { views: { [name]: merged } } } };
}
