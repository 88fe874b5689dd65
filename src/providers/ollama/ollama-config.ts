// The YAML section of an Ollama server: its keys, its defaults, and which names of models it refuses. Asks no server.
import * as z from 'zod';
import { endpointSchema } from '../model-server/endpoint.ts';
import {
  areSound,
  checkModelServer,
  DESPITE_FAULTS,
  type ModelServerConfig,
  modelServerShape,
} from '../model-server/model-config.ts';

export interface OllamaConfig extends ModelServerConfig {
  /** Whether a model that is missing is fetched, once while the process lives. */
  auto_pull: 'never' | 'once';
}

/** The tag by which Ollama marks a model that runs on somebody else's machine: `x:cloud`, `x:120b-cloud`. */
const CLOUD_TAG = /:(?:.*-)?cloud$/i;

export const ollamaConfig: z.ZodType<OllamaConfig> = z
  .strictObject({
    ...modelServerShape(),
    endpoint: endpointSchema().default('http://127.0.0.1:11434'),
    auto_pull: z.enum(['never', 'once']).default('never'),
  })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    if (areSound(['model', 'allow_remote'], context)) refuseCloud(config, context);
  }, DESPITE_FAULTS);

function refuseCloud({ model, allow_remote }: OllamaConfig, context: z.RefinementCtx): void {
  if (allow_remote || !CLOUD_TAG.test(model)) return;
  const message = `${model} runs off this machine; texts of notes go there only with allow_remote: true`;
  context.addIssue({ code: 'custom', path: ['model'], message });
}
