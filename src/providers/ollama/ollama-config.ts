// The config sections for an Ollama server: their keys, defaults and checks.
import * as z from 'zod';
import { endpointSchema } from '../model-server/endpoint.ts';
import {
  areValid,
  checkEmbeddingServer,
  checkModelServer,
  DESPITE_FAULTS,
  type EmbeddingServerConfig,
  embeddingShape,
  failoverKey,
  type LlmServerConfig,
  llmShape,
  type ModelServerConfig,
} from '../model-server/model-config.ts';

interface AutoPull {
  /** Whether a missing model is downloaded, once in the life of the process. */
  auto_pull: 'never' | 'once';
}
export interface OllamaConfig extends EmbeddingServerConfig, AutoPull {}
export interface OllamaLlmConfig extends LlmServerConfig, AutoPull {
  failover: string[];
}

/** Ollama's tag for a model that runs in its cloud: `x:cloud`, `x:120b-cloud`. */
const CLOUD_TAG = /:(?:.*-)?cloud$/i;

const ownKeys = () => ({
  endpoint: endpointSchema().default('http://127.0.0.1:11434'),
  auto_pull: z.enum(['never', 'once']).default('never'),
});

export const ollamaConfig: z.ZodType<OllamaConfig> = z
  .strictObject({ ...embeddingShape(), ...ownKeys() })
  .superRefine((config, context) => {
    checkEmbeddingServer(config, context);
    refuseCloud(config, context);
  }, DESPITE_FAULTS);

export const ollamaLlmConfig: z.ZodType<OllamaLlmConfig> = z
  .strictObject({ ...llmShape(), ...failoverKey(), ...ownKeys() })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    refuseCloud(config, context);
  }, DESPITE_FAULTS);

function refuseCloud({ model, allow_remote }: ModelServerConfig, context: z.RefinementCtx): void {
  if (!areValid(['model', 'allow_remote'], context)) return;
  if (allow_remote || !CLOUD_TAG.test(model)) return;
  const message = `${model} runs off this machine; texts of notes go there only with allow_remote: true`;
  context.addIssue({ code: 'custom', path: ['model'], message });
}
