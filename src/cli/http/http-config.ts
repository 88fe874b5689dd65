// Decides whether the HTTP server may start at all: where it listens, and how it is protected there.

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { commandLine } from '../../base/command-line.ts';
import { errnoOrRethrow } from '../../base/errno.ts';
import { type ConfigFault, quoted, VaultgraphError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { absolutePath } from '../../config/config-sources.ts';
import { HttpTokens, tokensFolder } from '../../config/http-tokens.ts';
import { originOf } from '../../config/setting-rows.ts';
import type { CommonOptions } from '../common-options.ts';

export interface HttpOptions extends CommonOptions {
  readonly http?: boolean;
  readonly host?: string;
  readonly port?: number;
  /** False with `--no-auth`. */
  readonly auth?: boolean;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly isLoopback: boolean;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** The tokens belong to the config file, or to the vault if there is none. */
export function tokensOf({
  file,
  vaultRoot,
  stateFolder,
}: Pick<Config, 'file' | 'vaultRoot' | 'stateFolder'>): HttpTokens {
  return new HttpTokens(tokensFolder(dirname(stateFolder), file === null ? vaultRoot : resolve(file)));
}

/** @throws CONFIG_INVALID if a scope names a view that is not in the config */
export function checkScopes(config: Config, views: ReadonlyMap<string, unknown>): void {
  const named = Object.entries(config.http.oauth?.views ?? {}).filter(([, view]) => !views.has(view));
  const faults = named.map(([scope, view]) => ({
    file: placeOf(config, 'oauth.views'),
    key: 'http.oauth.views',
    what: `the scope ${quoted(scope)} names the view ${quoted(view)}, which is not in \`views\``,
    allowed: [...views.keys()],
  }));
  if (faults.length > 0) throw new VaultgraphError('CONFIG_INVALID', { faults });
}

/** @throws CONFIG_INVALID if the server may not start like this */
export async function listeningFor(config: Config, options: HttpOptions): Promise<Listening> {
  const { http } = config;
  const { host = http.host, port = http.port, auth = true } = options;
  const hasTokens = http.oauth !== null || tokensOf(config).list().length > 0;
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
  const place = options.host === undefined ? placeOf(config, 'host') : '--host';
  if (!isLoopback) {
    const faults = openFaults({
      host,
      place,
      auth,
      hasTokens,
      isEncrypted: http.tls !== null || http.trusted_proxies.length > 0,
    });
    if (faults.length > 0)
      throw new VaultgraphError('CONFIG_INVALID', {
        faults,
        advice: 'Correct this and start again. docs/http.md shows how.',
      });
  }
  return { host, port, isLoopback, tls: await tlsFiles(config) };
}

interface Open {
  readonly host: string;
  readonly place: string;
  readonly auth: boolean;
  readonly hasTokens: boolean;
  readonly isEncrypted: boolean;
}

/** What keeps the server from listening to other machines. */
function openFaults({ host, place, auth, hasTokens, isEncrypted }: Open): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const others = `other machines can connect to ${host}`;
  if (!auth) faults.push({ file: '--no-auth', what: `${others}, so clients need tokens; leave --no-auth out` });
  else if (!hasTokens)
    faults.push({
      file: place,
      what: `${others}, and there is no token yet; add one with \`${commandLine('tokens add NAME')}\``,
    });
  if (!isEncrypted)
    faults.push({
      file: place,
      what: `${others}, and nothing encrypts what they send; set \`http.tls\`, or \`http.trusted_proxies\` if a proxy does it`,
    });
  return faults;
}

async function tlsFiles(config: Config): Promise<Listening['tls']> {
  const { tls } = config.http;
  if (tls === null) return undefined;
  const [cert, key] = await Promise.all([fileOf(config, 'tls.cert', tls.cert), fileOf(config, 'tls.key', tls.key)]);
  try {
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (thrown) {
    const what = 'the files are not a certificate and its private key, in PEM';
    throw new VaultgraphError(
      'CONFIG_INVALID',
      { faults: [{ file: placeOf(config, 'tls.cert'), key: 'http.tls', what }] },
      { cause: thrown },
    );
  }
}

async function fileOf(config: Config, key: string, path: string): Promise<Buffer> {
  const absolute = absolutePath(path, dirname(resolve(config.file ?? '')), homedir());
  try {
    return await readFile(absolute);
  } catch (thrown) {
    const what = `${path} cannot be read (${errnoOrRethrow(thrown)})`;
    throw new VaultgraphError('CONFIG_INVALID', { faults: [{ file: placeOf(config, key), key: `http.${key}`, what }] });
  }
}

/** Where the value is set, `config.yaml:3`. */
const placeOf = (config: Config, key: string): string => originOf(config, `http.${key}`) ?? `http.${key}`;
