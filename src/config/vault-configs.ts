// Reads the configs of all vaults that a config file names: of the one in `vault`, or of each in `vaults`.
import { type ConfigFault, quoted, VaultgraphError } from '../base/errors.ts';
import { isBelow } from '../base/local-path.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import {
  type Config,
  type ConfigReading,
  type InspectedVault,
  inReadingOrder,
  inspectVault,
  readVaultConfig,
} from './config.ts';
import type { KeyPath } from './config-document.ts';
import { indexFile } from './provider-sections.ts';
import { valueAt } from './section.ts';

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

// Reads the configs of `views`: each is a vault with globs and tools of its own, for the tokens that name it.

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
      const read = await inspectVault(withView(reading, name, view as View, base), ['views', name]);
      faults.push(...read.faults, ...(read.unavailable ? [read.unavailable.fault] : []));
      if (read.config !== undefined) configs.set(name, Object.freeze({ ...read.config, name: base.name }));
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
