// The YAML sections of a server that speaks OpenAI's wire: their keys and what of them cannot stand together. Asks no server.
import * as z from 'zod';
import { secret } from '../../contracts/secret.ts';
import { checkEmbeddingServer, type EmbeddingServerConfig, embeddingShape } from '../model-server/embedding-config.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import { type LlmServerConfig, llmShape } from '../model-server/llm-config.ts';
import { checkModelServer } from '../model-server/model-config.ts';

interface ApiKey {
  /** Sent as a bearer token. */
  api_key?: string | undefined;
}
export interface OpenaiConfig extends EmbeddingServerConfig, ApiKey {}
export interface OpenaiLlmConfig extends LlmServerConfig, ApiKey {}

const ownKeys = () => ({
  /** Up to and with the version: `/embeddings` is put behind it. */
  endpoint: endpointSchema(),
  api_key: secret().optional(),
});

export const openaiConfig: z.ZodType<OpenaiConfig> = z
  .strictObject({ ...embeddingShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkEmbeddingServer(config, context);
    checkKey(config, context);
  });

/** Without `failover`: these servers tell no digest, so nothing would prove that another one has the same model. */
export const openaiLlmConfig: z.ZodType<OpenaiLlmConfig> = z
  .strictObject({ ...llmShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    checkKey(config, context);
  });

interface Keyed extends ApiKey {
  headers: Record<string, string>;
}

/** Fetch would join the two into one that no server knows, or quote a key that no header holds. */
function checkKey({ api_key, headers }: Keyed, context: z.RefinementCtx): void {
  if (api_key === undefined) return;
  if (!/^[\x21-\x7e]+$/.test(api_key))
    context.addIssue({ code: 'custom', path: ['api_key'], message: 'letters, digits and signs without a space' });
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    context.addIssue({ code: 'custom', path: ['headers'], message: '`authorization` is set by `api_key` already' });
}

export function headersFor({ api_key, headers }: Keyed): Readonly<Record<string, string>> {
  return api_key === undefined ? headers : { ...headers, authorization: `Bearer ${api_key}` };
}
