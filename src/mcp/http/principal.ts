// Who sends a request, and why a request without a valid token is refused.

/** The owner of a token. */
export interface Principal {
  /** For the log. */
  readonly name: string;
  /** Different for any two principals; sessions belong to one. */
  readonly key: string;
  /** The view of the config that it sees; what the server's own config says if it is absent. */
  readonly view?: string;
  /** When its token expires, in milliseconds of `Date.now`; never if it is absent. */
  readonly expiresAt?: number;
}

/** A refusal in the terms of RFC 6750. */
export interface Refused {
  readonly status: 401 | 403 | 503;
  /** Absent if the request has no token. */
  readonly error?: string;
  readonly description: string;
  /** The scopes that are needed. */
  readonly scope?: string;
}

/** Finds out who sends a request, by its `Authorization` header. */
export interface Authentication {
  identify(authorization: string | undefined): Promise<Principal | Refused>;
  /** Whether the principal may continue its sessions: its token may have been revoked. */
  isValid(principal: Principal): boolean;
  /** The metadata of a protected resource (RFC 9728) by path; empty without OAuth. */
  readonly metadata: ReadonlyMap<string, object>;
  /** The address of the metadata, which refusals name. */
  readonly metadataUrl?: string;
}

/** The value of `WWW-Authenticate`. */
export function challengeFor({ error, description, scope }: Refused, metadataUrl: string | undefined): string {
  const parts = [
    ['realm', 'vaultgraph'],
    ['error', error],
    ['error_description', error === undefined ? undefined : description],
    ['scope', scope],
    ['resource_metadata', metadataUrl],
  ] as const;
  const shown = parts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${shown.join(', ')}`;
}
