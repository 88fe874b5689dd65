// Reads the metadata that each request of protocol 2026-07-28 carries in `_meta`.
import { ClientCapabilitiesSchema, ImplementationSchema, LoggingLevelSchema } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import { isObject } from '../../base/plain-object.ts';
import { argumentIssues } from '../dispatch/arguments.ts';
import { escapeControls } from '../render/safe-text.ts';
import { showsApps } from '../wire/graph-app.ts';
import { type Fault, INVALID_PARAMS, type Params, UNSUPPORTED_VERSION } from '../wire/method.ts';

/** The first version without a handshake. */
export const STATELESS_VERSION = '2026-07-28';

export const META_KEYS = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

const REQUIRED = [META_KEYS.version, META_KEYS.capabilities];
const SCHEMAS: readonly (readonly [key: string, schema: z.ZodType])[] = [
  [META_KEYS.client, ImplementationSchema as unknown as z.ZodType],
  [META_KEYS.capabilities, ClientCapabilitiesSchema as unknown as z.ZodType],
  [META_KEYS.logLevel, LoggingLevelSchema as unknown as z.ZodType],
];

export interface RequestMetadata {
  /** The name of the client; empty if it gives none. */
  readonly client: string;
  /** Whether the client can show its user a form. */
  readonly showsForms: boolean;
  /** Whether the client shows pages beside answers (MCP Apps). */
  readonly showsApps: boolean;
}

/** Whether the request claims to be of a protocol without a handshake. */
export function hasMetadata(params: Params): boolean {
  const meta = metaOf(params);
  return [META_KEYS.version, META_KEYS.client, META_KEYS.capabilities].some((key) => key in meta);
}

export function metadataIn(params: Params): { readonly metadata: RequestMetadata } | { readonly fault: Fault } {
  const meta = metaOf(params);
  const problem = missingIn(meta) ?? malformedIn(meta);
  if (problem !== undefined) return { fault: { code: INVALID_PARAMS, message: `params._meta: ${problem}` } };
  const version = String(meta[META_KEYS.version]);
  if (version !== STATELESS_VERSION) return { fault: unsupportedVersion(version, [STATELESS_VERSION]) };
  const { name } = (meta[META_KEYS.client] ?? {}) as { readonly name?: string };
  const capabilities = ClientCapabilitiesSchema.parse(meta[META_KEYS.capabilities]);
  const showsForms = capabilities.elicitation?.form !== undefined;
  return { metadata: { client: shownClientName(name), showsForms, showsApps: showsApps(capabilities) } };
}

/** The fault of a request without metadata where no session has announced the client before. */
export function missingMetadata(): Fault {
  return { code: INVALID_PARAMS, message: `params._meta: ${missingIn({})}` };
}

/** @param supported the versions that this connection serves */
export function unsupportedVersion(requested: string, supported: readonly string[]): Fault {
  return { code: UNSUPPORTED_VERSION, message: 'Unsupported protocol version', data: { supported, requested } };
}

function metaOf(params: Params): Readonly<Record<string, unknown>> {
  return isObject(params?._meta) ? params._meta : {};
}

function missingIn(meta: Readonly<Record<string, unknown>>): string | undefined {
  const missing = REQUIRED.filter((key) => !(key in meta));
  if (missing.length === 0) return undefined;
  return `a request without a handshake needs ${missing.join(' and ')} (protocol ${STATELESS_VERSION})`;
}

function malformedIn(meta: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof meta[META_KEYS.version] !== 'string') return `${META_KEYS.version}: must be a string`;
  for (const [key, schema] of SCHEMAS) {
    if (!(key in meta)) continue;
    const parsed = schema.safeParse(meta[key], { reportInput: true });
    if (parsed.success) continue;
    const [issue] = argumentIssues(schema, parsed.error.issues);
    const at = issue?.path ? `${key}.${issue.path}` : key;
    return `${at}: ${issue?.rule ?? 'has a value of the wrong type'}`;
  }
  return undefined;
}

// Shows the name that a client gave.

const MAX_CLIENT_NAME_LENGTH = 100;

/** Cut short and on one line, because it is foreign text. */
export function shownClientName(name = ''): string {
  return escapeControls(name.slice(0, MAX_CLIENT_NAME_LENGTH).toWellFormed());
}
