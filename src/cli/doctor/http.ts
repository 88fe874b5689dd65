// Checks what `serve --http` needs: where it listens, its tokens, its certificate, the server that runs there, and the issuer.

import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getEncrypted } from 'node:https';
import { commandLine } from '../../base/command-line.ts';
import { ownRules } from '../../base/system/system-rules.ts';
import type { Config } from '../../config/config.ts';
import { MCP_PATH } from '../../mcp/http/http-server.ts';
import { jwksIn } from '../../mcp/http/issuer.ts';
import { type CommonOptions, servedFor } from '../common-options.ts';
import { checkScopes, type Listening, listeningFor, tokensOf } from '../http/http-config.ts';
import { serverConfig } from '../served.ts';
import { type Finding, failing, ok, warning } from './finding.ts';

const DAY_MS = 86_400_000;
const WARN_DAYS = 14;
const MAX_ANSWER_MS = 3_000;
const OTHERS = 0o077;
const OCTAL = 8;
const UNAUTHORIZED = 401;

type Views = Awaited<ReturnType<typeof servedFor>>['views'];

export function httpChecks(options: CommonOptions) {
  const served = servedFor(options);
  const config = served.then(({ vaults }) => serverConfig(vaults));
  const views = async () => (await served).views;
  // Each check awaits the config; this keeps a rejection from counting as unhandled before the first check does.
  config.catch(() => undefined);
  return [
    { name: 'http', run: async () => listeningFinding(await config, await views(), options) },
    { name: 'http tokens', run: async () => tokensFinding(await config, await views()) },
    { name: 'http certificate', run: async () => certificateFinding(await listeningFor(await config, options)) },
    { name: 'http server', run: async () => serverFinding(await listeningFor(await config, options)) },
    { name: 'http issuer', run: async () => issuerFinding(await config) },
  ];
}

async function listeningFinding(config: Config, views: Views, options: CommonOptions): Promise<Finding> {
  checkScopes(config, views);
  const { host, port } = await listeningFor(config, options);
  return ok(`${host}, port ${port}; views: ${views.size === 0 ? 'none' : [...views.keys()].join(', ')}`);
}

async function tokensFinding(config: Config, views: Views): Promise<Finding> {
  const tokens = tokensOf(config);
  const entries = tokens.list();
  if (entries.length === 0) {
    if (config.http.oauth !== null) return ok('none; clients get theirs from the issuer');
    return warning(
      'there is no token, so every client is refused',
      `add one with \`${commandLine('tokens add NAME')}\``,
    );
  }
  const lost = entries.filter(({ view }) => view !== undefined && !views.has(view)).map(({ name }) => name);
  if (lost.length > 0)
    return failing(
      `the views of these tokens are not in the config: ${lost.join(', ')}`,
      'revoke them, or name the views in `views`',
    );
  const mode = statSync(tokens.folder).mode & OTHERS;
  if (ownRules().hasModes && mode !== 0)
    return warning(
      `other users of this machine can read ${tokens.folder} (${mode.toString(OCTAL)})`,
      `chmod 700 ${tokens.folder}`,
    );
  return ok(`${entries.length}: ${entries.map(({ name }) => name).join(', ')}`);
}

function certificateFinding({ tls, isLoopback }: Listening): Finding {
  if (tls === undefined)
    return ok(isLoopback ? 'none; only this machine can connect' : 'none; a trusted proxy encrypts');
  const { subjectAltName = '', validFrom, validTo } = new X509Certificate(tls.cert);
  const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
  if (Date.parse(validFrom) > Date.now())
    return failing(`valid only from ${validFrom}`, 'check the clock of this machine');
  if (days < 0) return failing(`expired on ${validTo}`, 'renew it and restart the server');
  const detail = `${subjectAltName}, until ${validTo}`;
  return days < WARN_DAYS ? warning(detail, 'renew it and restart the server') : ok(detail);
}

async function serverFinding(listening: Listening): Promise<Finding> {
  const [health, open] = [await statusOf(listening, '/healthz'), await statusOf(listening, MCP_PATH)];
  if (typeof health === 'string') return ok(`no server runs there (${health})`);
  if (health !== 200)
    return failing(`another program answers there (status ${health})`, 'choose another port with http.port');
  const ready = await statusOf(listening, '/readyz');
  if (ready !== 200) return warning('the server is ending', 'wait, and look again');
  if (open === UNAUTHORIZED) return ok('it runs, and refuses requests without a token');
  const isOpen = open === 400 || open === 406;
  if (isOpen)
    return warning('it runs with --no-auth: every program on this machine can use it', 'start it without --no-auth');
  return warning(
    `it answers a request without a token with status ${open}`,
    'check http.trusted_proxies and http.allowed_hosts',
  );
}

/** The status, or the code of what failed. The certificate has a check of its own. */
function statusOf({ host, port, tls }: Listening, path: string): Promise<number | string> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const settings = { host: name, port, path, timeout: MAX_ANSWER_MS, rejectUnauthorized: false };
  return new Promise((resolve) => {
    const request = (tls === undefined ? getPlain : getEncrypted)(settings, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('timeout', () => request.destroy());
    request.on('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.name));
  });
}

async function issuerFinding({ http: { oauth } }: Config): Promise<Finding> {
  if (oauth === null) return ok('not configured');
  const keySet = await jwksIn(oauth);
  if ('problem' in keySet)
    return failing(`${oauth.issuer}: ${keySet.problem}`, 'check http.oauth.issuer, and that this machine can reach it');
  return ok(`${oauth.issuer}: ${keySet.keys} ${keySet.keys === 1 ? 'key' : 'keys'}`);
}
