// Reads the configs of `views`: each is a vault with globs and tools of its own, for the tokens that name it.
import { type ConfigFault, VaultgraphError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import { type Config, type ConfigReading, inReadingOrder, inspectVault } from './config.ts';
import type { KeyPath } from './config-document.ts';
import { valueAt } from './section.ts';
import { VAULT_NAME, VAULT_NAME_RULE, type VaultConfigs } from './vault-configs.ts';

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

function invalid(faults: readonly ConfigFault[]): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', { faults: inReadingOrder(faults) });
}
