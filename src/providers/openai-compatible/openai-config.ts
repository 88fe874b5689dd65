// The YAML section of a server that speaks OpenAI's embeddings: its keys and what of them cannot stand together. Asks no server.
import * as z from 'zod';
import { secret } from '../../contracts/secret.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import { checkModelServer, type ModelServerConfig, modelServerShape } from '../model-server/model-config.ts';

export interface OpenaiConfig extends ModelServerConfig {
  /** Sent as a bearer token. */
  api_key?: string | undefined;
}

export const openaiConfig: z.ZodType<OpenaiConfig> = z
  .strictObject({
    ...modelServerShape(),
    /** Up to and with the version: `/embeddings` is put behind it. */
    endpoint: endpointSchema(),
    api_key: secret().optional(),
  })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    checkKey(config, context);
  });

/** Fetch would join the two into one that no server knows, or quote a key that no header holds. */
function checkKey({ api_key, headers }: OpenaiConfig, context: z.RefinementCtx): void {
  if (api_key === undefined) return;
  if (!/^[\x21-\x7e]+$/.test(api_key))
    context.addIssue({ code: 'custom', path: ['api_key'], message: 'letters, digits and signs without a space' });
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    context.addIssue({ code: 'custom', path: ['headers'], message: '`authorization` is set by `api_key` already' });
}

export function headersFor({ api_key, headers }: OpenaiConfig): Readonly<Record<string, string>> {
  return api_key === undefined ? headers : { ...headers, authorization: `Bearer ${api_key}` };
}
