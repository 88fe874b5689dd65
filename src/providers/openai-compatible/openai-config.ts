// The config sections for an OpenAI-compatible server: their keys, defaults and checks.
import * as z from 'zod';
import { type ApiKey, apiKey, checkKey } from '../model-server/api-key.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import {
  checkEmbeddingServer,
  checkModelServer,
  type EmbeddingServerConfig,
  embeddingShape,
  type LlmServerConfig,
  llmShape,
} from '../model-server/model-config.ts';

export interface OpenaiConfig extends EmbeddingServerConfig, ApiKey {}
export interface OpenaiLlmConfig extends LlmServerConfig, ApiKey {}

const ownKeys = () => ({
  /** Including the version: `/embeddings` is appended to it. */
  endpoint: endpointSchema(),
  api_key: apiKey(),
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
