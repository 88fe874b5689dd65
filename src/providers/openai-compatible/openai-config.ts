// The config sections for an OpenAI-compatible server: their keys, defaults and checks.
import * as z from 'zod';
import { secret } from '../../contracts/provider.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import {
  checkEmbeddingServer,
  checkModelServer,
  type EmbeddingServerConfig,
  embeddingShape,
  type LlmServerConfig,
  llmShape,
} from '../model-server/model-config.ts';

interface ApiKey {
  /** Sent as a bearer token. */
  api_key?: string | undefined;
}
export interface OpenaiConfig extends EmbeddingServerConfig, ApiKey {}
export interface OpenaiLlmConfig extends LlmServerConfig, ApiKey {}

const ownKeys = () => ({
  /** Including the version: `/embeddings` is appended to it. */
  endpoint: endpointSchema(),
  api_key: secret().optional(),
});

export const openaiConfig: z.ZodType<OpenaiConfig> = z
  .strictObject({ ...embeddingShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkEmbeddingServer(config, context);
    checkKey(config, context);
  });

/** Without `failover`: these servers report no digest, so that another one may have another model. */
export const openaiLlmConfig: z.ZodType<OpenaiLlmConfig> = z
  .strictObject({ ...llmShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    checkKey(config, context);
  });

interface Keyed extends ApiKey {
  headers: Record<string, string>;
}

/** Otherwise fetch would join both headers into one, or quote an invalid key in its error. */
function checkKey({ api_key, headers }: Keyed, context: z.RefinementCtx): void {
  if (api_key === undefined) return;
  if (!/^[\x21-\x7e]+$/.test(api_key))
    context.addIssue({ code: 'custom', path: ['api_key'], message: 'only printable ASCII characters without spaces' });
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    context.addIssue({ code: 'custom', path: ['headers'], message: '`api_key` already sets `authorization`' });
}

export function headersFor({ api_key, headers }: Keyed): Readonly<Record<string, string>> {
  return api_key === undefined ? headers : { ...headers, authorization: `Bearer ${api_key}` };
}
