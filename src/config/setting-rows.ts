// Lists every setting of a vault with its value and where that is from, for `config` and `status`.
import type { ZodType } from 'zod';
import { type ConfigDocument, holdsSecret, type KeyPath, schemaAt } from './config-document.ts';
import type { ConfigFile, OwnFolders, VaultFolder } from './config-sources.ts';
import type { Section } from './provider-sections.ts';
import { SERVER_SETTINGS, type ServerSettings, TOOL_SWITCHES, type ToolSwitches } from './server-settings.ts';

export interface Setting {
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

/** The settings of a vault, with the values that hold. */
export function allSettings(sources: VaultSources, server: ServerSettings, sections: readonly Section[]): Setting[] {
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
  const settings = settingsOf(provider.config, config, path, document);
  if (provider.capability === 'vault') {
    const pathKey = [...path, 'path'].join('.');
    return settings.map((setting) => (setting.key === pathKey ? { ...setting, origin: folder.origin } : setting));
  }
  const type = single([...path, 'type'], provider.type, document);
  return [type, ...settings, ...fallbackSettings(section, folder, document)];
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

/** Where a setting is from, such as `config.yaml:3`; undefined for a key that it has not. */
export const originOf = ({ settings }: { readonly settings: readonly Setting[] }, key: string): string | undefined =>
  settings.find((setting) => setting.key === key)?.origin;
