// The config key for a bearer token, its check and its header.
import type * as z from 'zod';
import { secret } from '../../contracts/provider.ts';

export interface ApiKey {
  /** Sent as a bearer token. */
  api_key?: string | undefined;
}

export const apiKey = () => secret().optional();

interface Keyed extends ApiKey {
  headers: Record<string, string>;
}

/** Otherwise fetch would join both headers into one, or quote an invalid key in its error. */
export function checkKey({ api_key, headers }: Keyed, context: z.RefinementCtx): void {
  if (api_key === undefined) return;
  if (!/^[\x21-\x7e]+$/.test(api_key))
    context.addIssue({ code: 'custom', path: ['api_key'], message: 'only printable ASCII characters without spaces' });
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    context.addIssue({ code: 'custom', path: ['headers'], message: '`api_key` already sets `authorization`' });
}

export function headersFor({ api_key, headers }: Keyed): Readonly<Record<string, string>> {
  return api_key === undefined ? headers : { ...headers, authorization: `Bearer ${api_key}` };
}
