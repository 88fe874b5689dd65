// The part of a YAML section that every server of embedding models shares.
import * as z from 'zod';
import { allowedDimensions } from './families.ts';
import { areSound, checkModelServer, failoverKey, type ModelServerConfig, modelServerShape } from './model-config.ts';

const TIMEOUT_MS = 30_000;
/** Below it not even a sentence with its prefix fits. */
const MIN_CONTEXT = 64;
/** Ten times those of the largest model there is. */
const MAX_DIMENSIONS = 40_960;

/** Keys and defaults; `endpoint` and what else a vendor has come from the vendor. Spread it into a `strictObject`. */
export function embeddingShape() {
  return {
    ...modelServerShape(TIMEOUT_MS),
    dimensions: z.int().min(1).max(MAX_DIMENSIONS).optional(),
    query_prefix: z.string().optional(),
    document_prefix: z.string().optional(),
    context: z.int().min(MIN_CONTEXT).max(1_000_000).optional(),
    ...failoverKey(),
  };
}

export interface EmbeddingServerConfig extends ModelServerConfig {
  dimensions?: number | undefined;
  query_prefix?: string | undefined;
  document_prefix?: string | undefined;
  /** Tokens. */
  context?: number | undefined;
  failover: string[];
}

/** For `superRefine`, with `DESPITE_FAULTS`: what no single key can tell. */
export function checkEmbeddingServer(config: EmbeddingServerConfig, context: z.RefinementCtx): void {
  checkModelServer(config, context);
  if (areSound(['model', 'dimensions'], context)) refuseDimensions(config, context);
}

function refuseDimensions({ model, dimensions }: EmbeddingServerConfig, context: z.RefinementCtx): void {
  const allowed = dimensions === undefined ? undefined : allowedDimensions(model, dimensions);
  if (allowed === undefined) return;
  context.addIssue({ code: 'custom', path: ['dimensions'], message: `${model} has vectors of ${allowed} numbers` });
}
