// The part of a YAML section that every server of models shares, whatever they are asked for.
import * as z from 'zod';
import { secret } from '../../contracts/secret.ts';
import { endpointSchema, refuseRemote } from './endpoint.ts';

/** Node gives up waiting for an answer at 300 s: a longer limit would never be the one that ends a call. */
const MAX_MS = 290_000;
const milliseconds = () => z.int().min(1).max(MAX_MS);

/** What makes a request unreadable or belongs to the transport; fetch would refuse it with each call. */
const TRANSPORT_HEADERS =
  /^(?:connection|content-length|content-type|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'the name of a header')
  .refine((name) => !TRANSPORT_HEADERS.test(name), 'that header is set by the transport');

/** A value that fetch refuses would be quoted in its error, and it may be a key. */
const headerValue = secret().refine(
  (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  'characters that no header holds',
);

/** Keys and defaults; `endpoint` and what else a vendor has come from the vendor. Spread it into a `strictObject`. */
export function modelServerShape(timeoutMs: number) {
  return {
    model: z.string().trim().min(1),
    timeout: milliseconds().default(timeoutMs),
    load_timeout: milliseconds().default(120_000),
    allow_remote: z.boolean().default(false),
    headers: z.record(headerName, headerValue).default({}),
  };
}

/** Other endpoints of the same model, for who can prove that it is the same. */
export const failoverKey = () => ({ failover: z.array(endpointSchema()).default([]) });

export interface ModelServerConfig {
  model: string;
  endpoint: string;
  timeout: number;
  load_timeout: number;
  allow_remote: boolean;
  headers: Record<string, string>;
  failover?: string[] | undefined;
}

/** For `superRefine`, as its second argument: a fault of one key does not hide what others have wrong together. */
export const DESPITE_FAULTS = Object.freeze({
  when: ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
});

/** Whether none of these keys was refused by itself: only then their values are what their types say. */
export function areSound(keys: readonly string[], { issues }: z.RefinementCtx): boolean {
  return !issues.some(({ path = [] }) => keys.some((key) => key === path[0]));
}

/** For `superRefine`, with `DESPITE_FAULTS`: what no single key can tell. */
export function checkModelServer(config: ModelServerConfig, context: z.RefinementCtx): void {
  const { endpoint, failover = [], allow_remote } = config;
  if (areSound(['endpoint', 'failover', 'allow_remote'], context))
    refuseRemote({ endpoint, failover, allow_remote }, context);
}

/** The section once for each of its endpoints, the first one first. */
export function onePerEndpoint<C extends ModelServerConfig>(config: C): readonly C[] {
  return [config.endpoint, ...(config.failover ?? [])].map((endpoint) => ({ ...config, endpoint }));
}
