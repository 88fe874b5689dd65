// Reads the queries written for a vault, and the notes judged relevant for each.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Grades } from './ranking-measures.ts';

export const FOLDER = join(import.meta.dirname, 'judgements');
export const KINDS = ['words', 'phrase', 'typo', 'paraphrase', 'question', 'short'] as const;

const file = z.array(
  z.strictObject({
    id: z.string(),
    kind: z.enum(KINDS),
    query: z.string().min(1),
    notes: z.record(z.string(), z.int().min(1).max(3)),
    why: z.string().min(1),
  }),
);

export interface Judged {
  readonly id: string;
  readonly kind: (typeof KINDS)[number];
  readonly query: string;
  /** By path: 3 is what was asked for, 2 answers a part, 1 is helpful. */
  readonly right: Grades;
}

/** Empty for a vault without such a file. */
export function judgementsFor(folder: string): readonly Judged[] {
  const path = join(FOLDER, `${basename(folder)}.yaml`);
  if (!existsSync(path)) return [];
  const rows = file.parse(parse(readFileSync(path, 'utf8')));
  return rows.map(({ notes, why: _, ...row }) => ({
    ...row,
    right: new Map(Object.entries(notes).map(([name, grade]) => [name.normalize('NFC'), grade])),
  }));
}
