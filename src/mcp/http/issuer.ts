// Finds the public keys of an authorization server by its metadata, and fetches them within limits.
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isObject } from '../../base/plain-object.ts';

/** For its metadata, and for its keys. */
const MAX_FETCH_MS = 3_000;
const MAX_BYTES = 256 * 1024;
/** After keys were fetched, an unknown one fetches them again only after this time. */
const COOLDOWN_MS = 30_000;
const MAX_KEY_AGE_MS = 600_000;
const TOO_LARGE = 413;

/** The keys at an address; they are fetched when a token needs them. */
export function keysAt(jwksUrl: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: MAX_FETCH_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: MAX_KEY_AGE_MS,
    [customFetch]: (url: string) => fetchWithin(url, AbortSignal.timeout(MAX_FETCH_MS)),
  });
}

/** The address of the keys, or why there is none. */
export type FoundKeys = { readonly jwksUrl: string } | { readonly problem: string };

/** Reads the metadata of the issuer (RFC 8414, OpenID Connect Discovery). Never rejects. */
export async function findKeys(issuer: string): Promise<FoundKeys> {
  const signal = AbortSignal.timeout(MAX_FETCH_MS);
  const problems: string[] = [];
  for (const url of metadataUrls(issuer)) {
    const keys = await keysIn(url, issuer, signal);
    if ('jwksUrl' in keys) return keys;
    problems.push(`${new URL(url).pathname}: ${keys.problem}`);
  }
  return { problem: problems.join('; ') };
}

/** How many keys the issuer publishes, or why they cannot be read. Never rejects. */
export async function jwksIn({
  issuer,
  jwks_url: jwksUrl,
}: {
  readonly issuer: string;
  readonly jwks_url: string | null;
}): Promise<{ readonly keys: number } | { readonly problem: string }> {
  const keySource = jwksUrl === null ? await findKeys(issuer) : { jwksUrl };
  if ('problem' in keySource) return keySource;
  const [outcome] = await Promise.allSettled([fetchWithin(keySource.jwksUrl, AbortSignal.timeout(MAX_FETCH_MS))]);
  if (outcome.status === 'rejected') return { problem: `its keys: ${failureOf(outcome.reason)}` };
  const [jwks] = await Promise.allSettled([outcome.value.json()]);
  const keys: unknown = jwks.status === 'fulfilled' && isObject(jwks.value) ? jwks.value.keys : undefined;
  return Array.isArray(keys) && keys.length > 0 ? { keys: keys.length } : { problem: 'it publishes no keys' };
}

/** In the order of MCP's authorization specification. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

async function keysIn(url: string, issuer: string, signal: AbortSignal): Promise<FoundKeys> {
  const [outcome] = await Promise.allSettled([fetchWithin(url, signal)]);
  if (outcome.status === 'rejected') return { problem: failureOf(outcome.reason) };
  if (!outcome.value.ok) return { problem: `status ${outcome.value.status}` };
  const [metadata] = await Promise.allSettled([outcome.value.json()]);
  if (metadata.status === 'rejected' || !isObject(metadata.value)) return { problem: 'not JSON' };
  const { issuer: named, jwks_uri: jwksUrl } = metadata.value;
  if (named !== issuer) return { problem: 'it names another issuer' };
  if (typeof jwksUrl !== 'string' || !URL.canParse(jwksUrl)) return { problem: 'it names no keys' };
  const { protocol } = new URL(jwksUrl);
  const isProtected = protocol === 'https:' || protocol === new URL(issuer).protocol;
  return isProtected ? { jwksUrl } : { problem: 'its keys are not at an https address' };
}

/** Its name, or the code of the system: what a server sends is not repeated. */
function failureOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'failed';
  const { code } = (thrown.cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : thrown.name;
}

/** Follows no redirect, and reads no long answer. @throws what `fetch` throws */
async function fetchWithin(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return new Response(null, { status: TOO_LARGE });
    chunks.push(chunk);
  }
  // Some statuses, such as 304, may not have a body.
  return new Response(bytes === 0 ? null : new Blob(chunks), { status: response.status });
}
