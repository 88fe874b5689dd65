// Finds out who sends an HTTP request: by the bearer tokens of this server, and by those of an authorization server.
import type { HttpTokens, TokenEntry } from '../../config/http-tokens.ts';
import { METADATA_PATH, type OAuthVerifier } from '../../mcp/http/oauth.ts';
import type { Authentication, Principal, Refused } from '../../mcp/http/principal.ts';

/** Everyone on this machine, where the user has turned tokens off. */
const ANYONE: Principal = { name: 'anyone', key: 'anyone' };

export const NO_AUTHENTICATION: Authentication = {
  identify: async () => ANYONE,
  isValid: () => true,
  metadata: new Map(),
};

const NO_TOKEN: Refused = { status: 401, description: 'this server needs a bearer token' };
const UNKNOWN_TOKEN: Refused = { status: 401, error: 'invalid_token', description: 'the token is unknown or revoked' };
const UNREADABLE: Refused = {
  status: 503,
  error: 'tokens_unreadable',
  description: 'the tokens of the server cannot be read',
};
const OWN_TOKEN = 'token:';

/** Tokens that are added or revoked hold from the next request on. @param oauth if the config names an authorization server */
export function tokenAuthentication(tokens: HttpTokens, oauth: OAuthVerifier | undefined): Authentication {
  return {
    identify: async (authorization = '') => {
      const secret = bearerIn(authorization);
      if (secret === undefined) return oauth === undefined ? NO_TOKEN : { ...NO_TOKEN, scope: oauth.scope };
      const found = ownToken(tokens, secret);
      return found === UNKNOWN_TOKEN && oauth !== undefined ? oauth.verify(secret) : found;
    },
    isValid: ({ key }) => !key.startsWith(OWN_TOKEN) || tokens.has((entry) => keyOf(entry) === key),
    metadata: new Map(oauth === undefined ? [] : metadataOf(oauth)),
    ...(oauth && { metadataUrl: oauth.metadataUrl }),
  };
}

function ownToken(tokens: HttpTokens, secret: string): Principal | Refused {
  let entry: TokenEntry | undefined;
  try {
    entry = tokens.find(secret);
  } catch {
    // `doctor --http` says what is wrong with the files.
    return UNREADABLE;
  }
  if (entry === undefined) return UNKNOWN_TOKEN;
  return { name: entry.name, key: keyOf(entry), ...(entry.view !== undefined && { view: entry.view }) };
}

/** At both addresses where clients look for it. */
function metadataOf({ metadata, metadataUrl }: OAuthVerifier): readonly (readonly [path: string, metadata: object])[] {
  return [
    [METADATA_PATH, metadata],
    [new URL(metadataUrl).pathname, metadata],
  ];
}

/** The token of an `Authorization` header; undefined for another scheme. */
function bearerIn(authorization: string): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
}

/** A token that is added again under the same name is another one. */
const keyOf = ({ sha256, view = '' }: TokenEntry): string => `${OWN_TOKEN}${sha256}:${view}`;
