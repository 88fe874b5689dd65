// Puts one server into the text of a client's settings or takes it out, and leaves every other byte's meaning as it was. Reads no file.
import { isDeepStrictEqual } from 'node:util';
import { VaultgraphError } from '../../base/errors.ts';
import type { Client } from './clients.ts';
import { editJson, parseJson } from './json-settings.ts';
import { editToml, parseToml } from './toml-settings.ts';

export interface SettingsPlace {
  /** As it is shown in errors. */
  readonly file: string;
  readonly client: Pick<Client, 'format' | 'servers'>;
  /** Of the server in the settings. */
  readonly name: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** The server as it stands there; undefined where it does not. @throws CONFIG_INVALID with the place of what cannot be read */
export function serverIn(text: string, place: SettingsPlace): unknown {
  return serversOf(parse(text, place), place)[place.name];
}

/** Every server by its name. @throws CONFIG_INVALID */
export function serversIn(text: string, place: Omit<SettingsPlace, 'name'>): Settings {
  return serversOf(parse(text, place), place);
}

/**
 * The text with the server in it, or without it where it is undefined.
 * @throws CONFIG_INVALID where the text cannot be read, or is written so that only its author should change it
 */
export function withServer(text: string, server: object | undefined, place: SettingsPlace): string {
  const before = others(parse(text, place), place);
  const { format, servers } = place.client;
  const edit = format === 'toml' ? editToml : editJson;
  const after = edit(text, [servers, place.name], server);
  // Whatever the editing did, nobody else's setting may have changed by it.
  const isSound = isReadable(after, place) && isSame(serverIn(after, place), server);
  if (!isSound || !isSame(others(parse(after, place), place), before)) {
    throw fault(place, { what: `${servers} is written in a way that is not changed here; add the server by hand` });
  }
  return after;
}

/** Whether two settings say the same, whatever the parser made their maps of. */
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
  if (isMap(servers)) return servers;
  throw fault({ file }, { what: `\`${client.servers}\` is no map of servers` });
}

/** All that is not ours; a map of servers that holds no other is as good as none. */
function others(settings: Settings, place: SettingsPlace): Settings {
  const { [place.name]: _own, ...rest } = serversOf(settings, place);
  const { [place.client.servers]: _servers, ...above } = settings;
  return Object.keys(rest).length === 0 ? above : { ...above, [place.client.servers]: rest };
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fault(
  { file }: Pick<SettingsPlace, 'file'>,
  at: { readonly what: string; readonly line?: number; readonly column?: number },
): VaultgraphError {
  return new VaultgraphError('CONFIG_INVALID', { faults: [{ file, ...at }] });
}
