// Adds one server to the text of a client's settings or removes it, without changing any other setting.
import { isDeepStrictEqual } from 'node:util';
import { VaultgraphError } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Client } from './clients.ts';
import { editJson, type Parsed, parseJson } from './json-settings.ts';
import { SETTINGS_ADVICE } from './settings-file.ts';
import { editToml, parseToml } from './toml-settings.ts';
import { editYaml, parseYaml, type ServerEdit } from './yaml-settings.ts';

export interface SettingsPlace {
  /** The file name shown in errors. */
  readonly file: string;
  readonly client: Pick<Client, 'format' | 'servers' | 'isList' | 'start'>;
  /** Name of the server in the settings. */
  readonly name: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** The entry of the server, or undefined. @throws CONFIG_INVALID with the position of a syntax error */
export function serverIn(text: string, place: SettingsPlace): unknown {
  return serversIn(text, place)[place.name];
}

/** All servers by name. @throws CONFIG_INVALID */
export function serversIn(text: string, place: Omit<SettingsPlace, 'name'>): Settings {
  const settings = parse(text, place);
  return serversOf(settings, pathIn(settings, place), place);
}

/**
 * The text with the server added, or removed if `server` is undefined.
 * @throws CONFIG_INVALID if the text does not parse, or cannot be edited without changing other settings
 */
export function withServer(text: string, server: object | undefined, place: SettingsPlace): string {
  const { client, name } = place;
  const base = text.trim() === '' && server !== undefined ? (client.start ?? text) : text;
  const settings = parse(base, place);
  const path = pathIn(settings, place);
  serversOf(settings, path, place);
  const after = FORMATS[client.format].edit(base, { path, name, server, isList: client.isList === true });
  // The edit must not have changed any other setting.
  const isSound = isReadable(after, place) && isSame(serverIn(after, place), server);
  if (!isSound || !isSame(others(parse(after, place), path, name), others(settings, path, name))) {
    throw fault(place, {
      what: `${path.join('.')} is written in a way that is not changed here; add the server by hand`,
    });
  }
  return after;
}

/** Whether two settings are equal, regardless of the parsers' map types. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

interface Format {
  parse(text: string): Parsed;
  edit(text: string, edit: ServerEdit): string;
}

const jsonFormat = (format: 'json' | 'jsonc'): Format => ({
  parse: (text) => parseJson(text, format),
  edit: (text, { path, name, server }) => editJson(text, [...path, name], server),
});

const FORMATS: Readonly<Record<Client['format'], Format>> = {
  json: jsonFormat('json'),
  jsonc: jsonFormat('jsonc'),
  toml: { parse: parseToml, edit: (text, { path, name, server }) => editToml(text, [...path, name], server) },
  yaml: { parse: parseYaml, edit: editYaml },
};

function parse(text: string, { file, client }: Omit<SettingsPlace, 'name'>): Settings {
  if (text.trim() === '') return {};
  const parsed = FORMATS[client.format].parse(text);
  if (parsed.fault !== undefined) throw fault({ file }, parsed.fault);
  return parsed.value;
}

function isReadable(text: string, { client }: SettingsPlace): boolean {
  return text.trim() === '' || FORMATS[client.format].parse(text).fault === undefined;
}

/** The first of the client's paths that leads to a map of servers here. */
function pathIn(settings: Settings, { client }: Omit<SettingsPlace, 'name'>): readonly string[] {
  const { servers } = client;
  // A map with a `type` is a server that has the name of the key.
  const isThere = (path: readonly string[]): boolean => {
    const found = valueAt(settings, path);
    return isObject(found) && typeof found.type !== 'string';
  };
  return servers.find(isThere) ?? servers.at(-1) ?? [];
}

function valueAt(settings: Settings, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), settings);
}

function serversOf(settings: Settings, path: readonly string[], place: Omit<SettingsPlace, 'name'>): Settings {
  const { file, client } = place;
  const servers = valueAt(settings, path);
  // YAML reads a key without a value as null.
  if (servers === undefined || (servers === null && client.format === 'yaml')) return {};
  if (client.isList === true && Array.isArray(servers)) return byName(servers);
  if (client.isList !== true && isObject(servers)) return servers;
  const kind = client.isList === true ? 'list' : 'map';
  throw fault({ file }, { what: `\`${path.join('.')}\` is no ${kind} of servers` });
}

function byName(servers: readonly unknown[]): Settings {
  return Object.fromEntries(servers.filter(isObject).map((server) => [String(server.name), server]));
}

/** All other settings; a map or list of servers with no other server counts as absent. */
function others(settings: Settings, [key = '', ...below]: readonly string[], name: string): Settings {
  const { [key]: inner, ...above } = settings;
  const rest = below.length === 0 ? withoutServer(inner, name) : isObject(inner) ? others(inner, below, name) : inner;
  return isEmpty(rest) ? above : { ...above, [key]: rest };
}

function withoutServer(servers: unknown, name: string): unknown {
  if (Array.isArray(servers)) return servers.filter((server) => !isObject(server) || server.name !== name);
  if (!isObject(servers)) return servers;
  const { [name]: _own, ...rest } = servers;
  return rest;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function fault(
  { file }: Pick<SettingsPlace, 'file'>,
  at: { readonly what: string; readonly line?: number; readonly column?: number },
): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', { faults: [{ file, ...at }], advice: SETTINGS_ADVICE });
}
