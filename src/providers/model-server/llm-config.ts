// The part of a YAML section that every server of language models shares.
import * as z from 'zod';
import { type ModelServerConfig, modelServerShape } from './model-config.ts';

const TIMEOUT_MS = 60_000;
/** Instructions, an answer and a few sentences between them need as much. */
const MIN_CONTEXT = 1_024;
/** A note of ten pages; most models read more, but every token of it takes memory whether it is used or not. */
const CONTEXT = 8_192;

/** Keys and defaults; `endpoint` and what else a vendor has come from the vendor. Spread it into a `strictObject`. */
export function llmShape() {
  return {
    ...modelServerShape(TIMEOUT_MS),
    context: z.int().min(MIN_CONTEXT).max(1_000_000).default(CONTEXT),
  };
}

export interface LlmServerConfig extends ModelServerConfig {
  /** Tokens that the server is to read and to write in one request, together. */
  context: number;
}
