// Reads the record that `vaultgraph models` keeps in the folder of a model that it installed.
import { join } from 'node:path';
import * as z from 'zod';
import { readOwnJson } from '../../base/system/own-file.ts';

export const RECORD = 'vaultgraph-model.json';

const FILE = z.object({
  file: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  /** `hub`: equal to the hash that the hub names. `computed`: the hub names none, or there was no hub. */
  hash_from: z.enum(['hub', 'computed']),
});
export type InstalledFile = Readonly<z.infer<typeof FILE>>;

const MODEL_RECORD = z.object({
  name: z.string(),
  /** The `type` in the config; absent in the record of a static model. */
  type: z.literal('onnx').optional(),
  /** The section of the config; absent in the record of a model for embedding. */
  key: z.literal('rerank').optional(),
  /** The repository and the hub, or null if it was installed from a folder. */
  repository: z.string().nullable(),
  hub: z.string().nullable(),
  revision: z.string().nullable(),
  /** The folder that it was installed from, or null. */
  source: z.string().nullable(),
  installed_at: z.string(),
  /** The dimensions of its vectors; 1 of a model that scores. */
  dimensions: z.int(),
  /** The files in the order in which they arrived. */
  files: z.array(FILE).readonly(),
  /** A hash of the files as they are used; absent in a record of an earlier build. */
  digest: z.string().optional(),
  /** The table that was made of the one that arrived, or null. */
  stored: z.object({ numbers: z.literal('int8'), bytes: z.int(), sha256: z.string() }).nullable(),
});
export type ModelRecord = Readonly<z.infer<typeof MODEL_RECORD>>;
export type StoredTable = NonNullable<ModelRecord['stored']>;

/** Undefined if it is damaged. @throws system errors */
export function readRecord(folder: string): ModelRecord | undefined {
  return MODEL_RECORD.safeParse(readOwnJson(join(folder, RECORD))).data;
}
