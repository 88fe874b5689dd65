// The YAML section of a model in a local folder: its keys and its defaults. Looks at no disk.
import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';

export interface Model2vecConfig {
  /** The folder, absolute; a leading `~` is expanded. */
  model: string;
  /** Milliseconds. */
  timeout: number;
  query_prefix?: string | undefined;
  document_prefix?: string | undefined;
}

/** As for models on a server. */
const MAX_MS = 290_000;

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

export const model2vecConfig: z.ZodType<Model2vecConfig> = z.strictObject({
  model: z
    .string()
    .trim()
    .min(1)
    .transform(expandHome)
    .refine(isAbsolute, 'the path of a folder, absolute or from `~/`')
    .transform(normalize),
  timeout: z.int().min(1).max(MAX_MS).default(30_000),
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
});
