// Verifies the access tokens of an authorization server (OAuth 2.1, this server as the protected resource).
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import type { Log } from '../../base/log.ts';
import { shownClientName } from '../transport/request-metadata.ts';
import { findKeys, keysAt } from './issuer.ts';
import type { Principal, Refused } from './principal.ts';

export interface OAuthOptions {
  readonly issuer: string;
  /** The address of the MCP endpoint for clients. */
  readonly audience: string;
  readonly scope: string;
  /** The view that a token with a scope sees, by scope. */
  readonly views: Readonly<Record<string, string>>;
  readonly jwks_url: string | null;
}

export const METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Only those with a public key: a secret that both sides share would be one more to keep. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const CLOCK_TOLERANCE_S = 5;
const MS = 1_000;
/** The last second that a `Date` can hold. */
const MAX_SECONDS = 8.64e12;
/** What is read of the claims; the library checks that those with a time are numbers, which 1e999 is too. */
const claims = z.object({ sub: z.string().min(1), exp: z.number().max(MAX_SECONDS) });

export class OAuthVerifier {
  readonly #options: OAuthOptions;
  readonly #log: Log;
  #keys: Promise<JWTVerifyGetKey | undefined> | undefined;

  constructor(options: OAuthOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  /** Describes this resource (RFC 9728). */
  get metadata(): object {
    const { issuer, audience, scope } = this.#options;
    return {
      resource: audience,
      authorization_servers: [issuer],
      // Not those of views: clients ask for all that is listed, and a view shows less.
      scopes_supported: [scope],
      bearer_methods_supported: ['header'],
      resource_name: 'vaultgraph',
    };
  }

  /** What clients without a token are to ask for. */
  get scope(): string {
    return this.#options.scope;
  }

  get metadataUrl(): string {
    const { origin, pathname } = new URL(this.#options.audience);
    return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}`;
  }

  /** Never rejects. */
  async verify(token: string): Promise<Principal | Refused> {
    const { issuer, audience, scope, views } = this.#options;
    const issuerKeys = await this.#issuerKeys();
    if (issuerKeys === undefined) return UNREACHABLE;
    let unreadable: unknown;
    const keys: JWTVerifyGetKey = async (...token) => {
      const [key] = await Promise.allSettled([issuerKeys(...token)]);
      if (key.status === 'fulfilled') return key.value;
      if (!isOfToken(key.reason)) unreadable = key.reason;
      throw key.reason;
    };
    const expected = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_S };
    const [outcome] = await Promise.allSettled([
      jwtVerify(token, keys, { ...expected, requiredClaims: ['exp', 'sub'] }),
    ]);
    if (unreadable !== undefined) return this.#unreachable(unreadable);
    if (outcome.status === 'rejected') return refusalOf(outcome.reason);
    const { payload, protectedHeader } = outcome.value;
    const { typ }: { readonly typ?: unknown } = protectedHeader;
    if (!TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : (typ as undefined)))
      return invalid('this is not an access token');
    const owner = claims.safeParse(payload);
    if (!owner.success) return invalid(`the token is not valid: ${String(owner.error.issues[0]?.path[0])}`);
    const scopes = scopesIn(payload);
    if ([scope, ...Object.keys(views)].some((each) => scopes.includes(each)))
      return this.#principal(owner.data, scopes);
    return { status: 403, error: 'insufficient_scope', description: `the token lacks the scope ${scope}`, scope };
  }

  #principal({ sub, exp }: z.infer<typeof claims>, scopes: readonly string[]): Principal {
    const { views, issuer } = this.#options;
    const view = Object.entries(views).find(([scope]) => scopes.includes(scope))?.[1];
    const key = JSON.stringify(['oauth', issuer, sub, view]);
    return { name: shownClientName(sub), key, expiresAt: exp * MS, ...(view !== undefined && { view }) };
  }

  /** Found at the first token, and again after a failure; requests that come together look once. */
  #issuerKeys(): Promise<JWTVerifyGetKey | undefined> {
    this.#keys ??= this.#findKeys().then((keys) => {
      if (keys === undefined) this.#keys = undefined;
      return keys;
    });
    return this.#keys;
  }

  async #findKeys(): Promise<JWTVerifyGetKey | undefined> {
    const { issuer, jwks_url: jwksUrl } = this.#options;
    const keySource = jwksUrl === null ? await findKeys(issuer) : { jwksUrl };
    if ('jwksUrl' in keySource) return keysAt(keySource.jwksUrl);
    this.#log('error', 'issuer_unreachable', { endpoint: issuer, reason: keySource.problem });
    return undefined;
  }

  #unreachable(thrown: unknown): Refused {
    const cause = thrown instanceof Error ? thrown.name : 'unknown';
    const reason = 'its keys cannot be read';
    this.#log('error', 'issuer_unreachable', { endpoint: this.#options.issuer, reason, cause });
    return UNREACHABLE;
  }
}

const UNREACHABLE: Refused = {
  status: 503,
  error: 'issuer_unreachable',
  description: 'the authorization server does not answer, so tokens cannot be checked',
};

/** Thrown by the search for the key of a token: the issuer was reached, and no key of it fits. */
function isOfToken(thrown: unknown): boolean {
  return [errors.JOSENotSupported, errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys].some(
    (type) => thrown instanceof type,
  );
}

/** With the keys at hand every failure is one of the token, such as a key that is too short for its algorithm. */
function refusalOf(thrown: unknown): Refused {
  if (thrown instanceof errors.JWTExpired) return invalid('the token has expired');
  if (thrown instanceof errors.JWTClaimValidationFailed) return invalid(`the token is not valid: ${thrown.claim}`);
  return invalid('the token is not valid');
}

const invalid = (description: string): Refused => ({ status: 401, error: 'invalid_token', description });

/** `scope` as the standard has it (RFC 9068), `scp` as some servers do. */
function scopesIn({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp].flat().flatMap((text) => (typeof text === 'string' ? text.split(' ') : []));
}
