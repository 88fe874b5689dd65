// The config section for a server that reranks: its keys, defaults and checks.
import * as z from 'zod';
import { type ApiKey, apiKey, checkKey } from '../model-server/api-key.ts';
import { endpointSchema } from '../model-server/endpoint.ts';
import { areValid, checkModelServer, type RerankServerConfig, rerankShape } from '../model-server/model-config.ts';
import { WIRES, type Wire } from './rerank-wire.ts';

export interface RerankConfig extends RerankServerConfig, ApiKey {
  wire: Wire;
}

export const rerankConfig: z.ZodType<RerankConfig> = z
  .strictObject({
    ...rerankShape(),
    wire: z.enum(WIRES),
    /** `/rerank` is appended to it; many people paste the whole URL. */
    endpoint: endpointSchema().transform((url) => url.replace(/\/rerank$/, '')),
    api_key: apiKey(),
  })
  .superRefine((config, context) => {
    checkModelServer(config, context);
    checkKey(config, context);
    if (areValid(['wire', 'model'], context) && config.wire === 'cohere' && config.model === undefined)
      context.addIssue({ code: 'custom', path: ['model'], message: 'wire: cohere needs the name of a model' });
  });
