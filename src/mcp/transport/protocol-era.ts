// Decides by which protocol a request is served: the session of a handshake, or without one by its own metadata.
import {
  InitializeRequestParamsSchema,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import { argumentIssues } from '../dispatch/arguments.ts';
import { type Fault, INVALID_PARAMS, type Params } from '../wire/method.ts';
import {
  hasMetadata,
  metadataIn,
  missingMetadata,
  type RequestMetadata,
  STATELESS_VERSION,
  unsupportedVersion,
} from './request-metadata.ts';

export type Route =
  | { readonly kind: 'session' }
  | { readonly kind: 'stateless'; readonly metadata: RequestMetadata }
  | { readonly kind: 'refused'; readonly fault: Fault };

export const DISCOVER = 'server/discover';
export const LISTEN = 'subscriptions/listen';
const ONLY_STATELESS: ReadonlySet<string> = new Set([DISCOVER, LISTEN]);

const refused = (fault: Fault): Route => ({ kind: 'refused', fault });

/**
 * A connection keeps the era that its client opened: a handshake selects its version for the rest of the process, and so does a first
 * request with metadata. Only `server/discover` leaves the choice open, because clients probe with it.
 */
export class ProtocolEra {
  #sessionVersion: string | undefined;
  #isStateless = false;

  /** The version of the handshake; undefined before it, and without one. */
  get sessionVersion(): string | undefined {
    return this.#sessionVersion;
  }

  get isStateless(): boolean {
    return this.#isStateless;
  }

  /** Called once for each request, in the order of the client. */
  route({ method, params }: JSONRPCRequest): Route {
    if (hasMetadata(params)) return this.#routeWithMetadata(method, params);
    if (this.#isStateless) return refused(withoutMetadata(method, params));
    if (method === 'initialize') return this.#openSession(params);
    if (this.#sessionVersion === undefined && method !== 'ping') return refused(beforeHandshake(method));
    return { kind: 'session' };
  }

  #routeWithMetadata(method: string, params: JSONRPCRequest['params']): Route {
    const metadata = metadataIn(params);
    if ('fault' in metadata) return refused(metadata.fault);
    if (this.#sessionVersion !== undefined)
      return refused(unsupportedVersion(STATELESS_VERSION, [this.#sessionVersion]));
    this.#isStateless ||= method !== DISCOVER;
    return { kind: 'stateless', metadata: metadata.metadata };
  }

  #openSession(params: JSONRPCRequest['params']): Route {
    const fault = initializeFault(params);
    if (fault !== undefined) return refused(fault);
    this.#sessionVersion = negotiatedVersion(params);
    return { kind: 'session' };
  }
}

/** A client of either era may have forgotten something else; only these methods are known to be of the later one. */
function beforeHandshake(method: string): Fault {
  const { code, message } = missingMetadata();
  return {
    code,
    message: ONLY_STATELESS.has(method) ? message : `send initialize first, or with every request ${message}`,
  };
}

function withoutMetadata(method: string, params: JSONRPCRequest['params']): Fault {
  if (method !== 'initialize') return missingMetadata();
  return unsupportedVersion(String(params?.protocolVersion), [STATELESS_VERSION]);
}

/** Negotiates the version as the SDK does. */
export function negotiatedVersion(params: JSONRPCRequest['params']): string {
  const requested = String(params?.protocolVersion);
  return SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : LATEST_PROTOCOL_VERSION;
}

// Checks the parameters of `initialize`, which the SDK would refuse with a dump of its schema.

const MAX_SHOWN_ISSUES = 3;

export function initializeFault(params: Params = {}): Fault | undefined {
  const parsed = InitializeRequestParamsSchema.safeParse(params, { reportInput: true, jitless: true });
  if (parsed.success) return undefined;
  const issues = argumentIssues(InitializeRequestParamsSchema as unknown as z.ZodType, parsed.error.issues);
  const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, rule }) => `${path}: ${rule}`);
  return { code: INVALID_PARAMS, message: `initialize: ${shown.join('; ')}` };
}
