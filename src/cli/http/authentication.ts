// Finds out who sends an HTTP request: by the bearer tokens of the server.
import type { HttpTokens, TokenEntry } from '../../lifecycle/http-tokens.ts';
import type { Authentication, Principal, Refused } from '../../mcp/http/principal.ts';

/** Everyone on this machine, where the user has turned tokens off. */
const ANYONE: Principal = { name: 'anyone', key: 'anyone' };
const NO_METADATA: ReadonlyMap<string, object> = new Map();

export const NO_AUTHENTICATION: Authentication = {
  identify: async () => ANYONE,
  isValid: () => true,
  metadata: NO_METADATA,
};

const NO_TOKEN: Refused = { status: 401, description: 'this server needs a bearer token' };
const UNKNOWN_TOKEN: Refused = { status: 401, error: 'invalid_token', description: 'the token is unknown or revoked' };
const UNREADABLE: Refused = {
  status: 503,
  error: 'tokens_unreadable',
  description: 'the tokens of the server cannot be read',
};

/** Tokens that are added or revoked hold from the next request on. */
export function tokenAuthentication(tokens: HttpTokens): Authentication {
  return {
    identify: async (authorization) => {
      if (authorization === undefined) return NO_TOKEN;
      const secret = bearerIn(authorization);
      if (secret === undefined) return NO_TOKEN;
      const [entry] = await Promise.allSettled([(async () => tokens.find(secret))()]);
      if (entry.status === 'rejected') return UNREADABLE;
      return entry.value === undefined ? UNKNOWN_TOKEN : principalOf(entry.value);
    },
    isValid: ({ key }) => tokens.has((entry) => keyOf(entry) === key),
    metadata: NO_METADATA,
  };
}

/** The token of an `Authorization` header; undefined for another scheme. */
export function bearerIn(authorization: string): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
}

/** A token that is added again under the same name is another one. */
const keyOf = ({ sha256, view = '' }: TokenEntry): string => `token:${sha256}:${view}`;

function principalOf(entry: TokenEntry): Principal {
  return { name: entry.name, key: keyOf(entry), ...(entry.view !== undefined && { view: entry.view }) };
}
