// Adds one server to the text of a client's settings or removes it, without changing any other setting.
import { isDeepStrictEqual } from 'node:util';
import { VaultgraphError } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';
import type { Client } from './clients.ts';
import { editJson, parseJson } from './json-settings.ts';
import { SETTINGS_ADVICE } from './settings-file.ts';
import { editToml, parseToml } from './toml-settings.ts';

export interface SettingsPlace {
  /** The file name shown in errors. */
  readonly file: string;
  readonly client: Pick<Client, 'format' | 'servers'>;
  /** Name of the server in the settings. */
  readonly name: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** The entry of the server, or undefined. @throws CONFIG_INVALID with the position of a syntax error */
export function serverIn(text: string, place: SettingsPlace): unknown {
  return serversOf(parse(text, place), place)[place.name];
}

/** All servers by name. @throws CONFIG_INVALID */
export function serversIn(text: string, place: Omit<SettingsPlace, 'name'>): Settings {
  return serversOf(parse(text, place), place);
}

/**
 * The text with the server added, or removed if `server` is undefined.
 * @throws CONFIG_INVALID if the text does not parse, or cannot be edited without changing other settings
 */
export function withServer(text: string, server: object | undefined, place: SettingsPlace): string {
  const before = others(parse(text, place), place);
  const { format, servers } = place.client;
  const edit = format === 'toml' ? editToml : editJson;
  const after = edit(text, [servers, place.name], server);
  // The edit must not have changed any other setting.
  const isSound = isReadable(after, place) && isSame(serverIn(after, place), server);
  if (!isSound || !isSame(others(parse(after, place), place), before)) {
    throw fault(place, { what: `${servers} is written in a way that is not changed here; add the server by hand` });
  }
  return after;
}

/** Whether two settings are equal, regardless of the parsers' map types. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

function parse(text: string, { file, client }: Omit<SettingsPlace, 'name'>): Settings {
  if (text.trim() === '') return {};
  const parsed = client.format === 'toml' ? parseToml(text) : parseJson(text, client.format);
  if (parsed.fault !== undefined) throw fault({ file }, parsed.fault);
  return parsed.value;
}

function isReadable(text: string, { client }: SettingsPlace): boolean {
  const { fault } = client.format === 'toml' ? parseToml(text) : parseJson(text, client.format);
  return text.trim() === '' || fault === undefined;
}

function serversOf(settings: Settings, { file, client }: Omit<SettingsPlace, 'name'>): Settings {
  const servers = settings[client.servers];
  if (servers === undefined) return {};
  if (isObject(servers)) return servers;
  throw fault({ file }, { what: `\`${client.servers}\` is no map of servers` });
}

/** All other settings; a map of servers with no other server counts as absent. */
function others(settings: Settings, place: SettingsPlace): Settings {
  const { [place.name]: _own, ...rest } = serversOf(settings, place);
  const { [place.client.servers]: _servers, ...above } = settings;
  return Object.keys(rest).length === 0 ? above : { ...above, [place.client.servers]: rest };
}

function fault(
  { file }: Pick<SettingsPlace, 'file'>,
  at: { readonly what: string; readonly line?: number; readonly column?: number },
): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', { faults: [{ file, ...at }], advice: SETTINGS_ADVICE });
}
