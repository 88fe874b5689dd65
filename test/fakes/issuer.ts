// An authorization server on loopback: it approves every client, and can refuse, stall, lie and change its keys.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exportJWK, type JWK } from 'jose';

/** How it answers requests for its metadata and keys. */
export type IssuerMood = 'well' | 'other_issuer' | 'odd_keys' | BadMood;
type BadMood = 'refuses' | 'stalls' | 'rubbish' | 'redirects' | 'huge' | 'unchanged' | 'packed' | 'deep';

/** A claim that is undefined is left out. */
export type Claims = Readonly<Record<string, unknown>>;

export interface Issuer {
  readonly url: string;
  mood: IssuerMood;
  /** Requests by path. */
  readonly requests: string[];
  /** Signs with the current key. */
  token(claims?: Claims, header?: { readonly typ?: unknown }): Promise<string>;
  /** Signs a payload that is not what `JSON.stringify` would write; `iss` has to be in it. */
  signed(payload: string): Promise<string>;
  /** Signs with a key that was never published. */
  forged(claims?: Claims): Promise<string>;
  /** From now on signs with another key, and publishes only that one. A weak one is too short for its algorithm. */
  rotate(strength?: keyof typeof ALGORITHMS): Promise<void>;
}

interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly published: JWK;
}

interface Grant {
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
}

/** The parameters of Web Crypto: libraries for tokens refuse to sign with a weak key, and with claims of wrong types. */
const ALGORITHMS = {
  strong: { alg: 'ES256', name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  weak: {
    alg: 'RS256',
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 1_024,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const;
const HUGE = 1_000_000;

/** It ends with the test. @param path of the issuer, such as `/realms/home` */
export async function openIssuer(context: TestContext, path = ''): Promise<Issuer> {
  let key = await newKey();
  const grants = new Map<string, Grant>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}${path}`;
  const issuer: Issuer = {
    ...{ url, mood: 'well', requests: [] },
    token: (claims = {}, header = {}) => signed(key, claims, header),
    forged: async (claims = {}) => signed({ ...(await newKey()), kid: key.kid }, claims, {}),
    signed: (payload) => signedText(key, payload, {}),
    rotate: async (strength) => {
      key = await newKey(strength);
    },
  };

  function signed(by: Key, claims: Claims, header: { readonly typ?: unknown }): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: url, sub: 'ada', iat: now, exp: now + 300, ...claims };
    return signedText(by, JSON.stringify(all), header);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    issuer.requests.push(pathname);
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/register') return register(await text(request), response);
    if (pathname === '/token') return exchange(new URLSearchParams(await text(request)), response);
    if (issuer.mood === 'odd_keys' && pathname === '/keys') return send(response, 200, { keys: [null, 5, [], {}] });
    if (isBad(issuer.mood)) return misbehave(issuer.mood, response);
    if (pathname === `/.well-known/oauth-authorization-server${path}`) return send(response, 200, metadata());
    if (pathname === '/keys') return send(response, 200, { keys: [key.published] });
    send(response, 404, {});
  }

  const metadata = (): object => ({
    issuer: issuer.mood === 'other_issuer' ? 'https://other.example' : url,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    jwks_uri: `${origin}/keys`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  });

  function register(body: string, response: ServerResponse): void {
    const { redirect_uris } = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
    send(response, 201, { client_id: randomUUID(), redirect_uris, token_endpoint_auth_method: 'none' });
  }

  /** As if the user had approved at once. */
  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const [challenge = '', resource = '', scope = ''] = ['code_challenge', 'resource', 'scope'].map(
      (name) => query.get(name) ?? '',
    );
    grants.set(code, { challenge, resource, scope });
    const back = new URL(query.get('redirect_uri') ?? origin);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  /** A code works once, and only with the verifier of its challenge. */
  async function exchange(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const given = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === undefined || grant.challenge !== given) return send(response, 400, { error: 'invalid_grant' });
    const { resource: aud, scope } = grant;
    send(response, 200, {
      access_token: await issuer.token({ aud, scope }),
      token_type: 'Bearer',
      expires_in: 300,
      scope,
    });
  }
  return issuer;
}

async function newKey(strength: keyof typeof ALGORITHMS = 'strong'): Promise<Key> {
  const { alg, ...parameters } = ALGORITHMS[strength];
  const { publicKey, privateKey } = await crypto.subtle.generateKey(parameters, true, ['sign', 'verify']);
  const kid = randomUUID();
  return { kid, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

async function signedText({ kid, privateKey, published }: Key, payload: string, header: object): Promise<string> {
  const head = JSON.stringify({ alg: published.alg, kid, typ: 'at+jwt', ...header });
  const text = [head, payload].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const bytes = await crypto.subtle.sign({ ...privateKey.algorithm, hash: 'SHA-256' }, privateKey, Buffer.from(text));
  return `${text}.${Buffer.from(bytes).toString('base64url')}`;
}

const isBad = (mood: IssuerMood): boolean => !['well', 'other_issuer', 'odd_keys'].includes(mood);

function misbehave(mood: IssuerMood, response: ServerResponse): void {
  if (mood === 'stalls') return;
  if (mood === 'refuses') send(response, 500, {});
  if (mood === 'rubbish') response.writeHead(200).end('<html>');
  if (mood === 'redirects') response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
  if (mood === 'huge') send(response, 200, { text: 'x'.repeat(HUGE) });
  if (mood === 'unchanged') response.writeHead(304).end();
  if (mood === 'packed')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100 * HUGE)));
  if (mood === 'deep') response.writeHead(200).end(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
