// The YAML sections of an Ollama server: their keys, their defaults, and which names of models they refuse. Asks no server.
import * as z from 'zod';
import { checkEmbeddingServer, type EmbeddingServerConfig, embeddingShape } from '../model-server/embedding-config.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import { type LlmServerConfig, llmShape } from '../model-server/llm-config.ts';
import {
  areSound,
  checkModelServer,
  DESPITE_FAULTS,
  failoverKey,
  type ModelServerConfig,
} from '../model-server/model-config.ts';

interface AutoPull {
  /** Whether a model that is missing is fetched, once while the process lives. */
  auto_pull: 'never' | 'once';
}
export interface OllamaConfig extends EmbeddingServerConfig, AutoPull {}
export interface OllamaLlmConfig extends LlmServerConfig, AutoPull {
  failover: string[];
}

/** The tag by which Ollama marks a model that runs on somebody else's machine: `x:cloud`, `x:120b-cloud`. */
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
  if (!areSound(['model', 'allow_remote'], context)) return;
  if (allow_remote || !CLOUD_TAG.test(model)) return;
  const message = `${model} runs off this machine; texts of notes go there only with allow_remote: true`;
  context.addIssue({ code: 'custom', path: ['model'], message });
}
