// Reads queries and the notes judged right for each: ours, written for a vault, or a set of questions with its own notes.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Grades } from './ranking-measures.ts';

const FOLDER = join(import.meta.dirname, 'judgements');
export const KINDS = ['words', 'phrase', 'typo', 'paraphrase', 'question', 'short'] as const;

const query = {
  id: z.string(),
  query: z.string(),
  notes: z.record(z.string(), z.int().min(1).max(3)),
};
const ours = z.array(z.strictObject({ ...query, kind: z.enum(KINDS), why: z.string().min(1) }));
const publicSet = z.array(z.object({ ...query, kind: z.string(), answers: z.array(z.string().min(1)).optional() }));

export interface Judged {
  readonly id: string;
  readonly kind: string;
  readonly query: string;
  /** By path: 3 is what was asked for, 2 answers a part, 1 is helpful. */
  readonly right: Grades;
  /** Texts of the right notes that answer; what a tool shows should contain one of them. */
  readonly answers?: readonly string[];
}

export interface JudgedVault {
  readonly name: string;
  /** The folder of its notes. */
  readonly folder: string;
  /** Empty for a vault without judgements. */
  readonly judged: readonly Judged[];
}

/** @param folder a vault, or a folder with `notes/` and `queries.json` */
export function judgedVault(folder: string): JudgedVault {
  const [name, questions] = [basename(folder), join(folder, 'queries.json')];
  if (!existsSync(questions)) return { name, folder, judged: judgementsFor(name) };
  const rows = publicSet.parse(JSON.parse(readFileSync(questions, 'utf8')));
  return { name, folder: join(folder, 'notes'), judged: rows.map(judgedRow) };
}

function judgementsFor(name: string): readonly Judged[] {
  const path = join(FOLDER, `${name}.yaml`);
  return existsSync(path) ? ours.parse(parse(readFileSync(path, 'utf8'))).map(judgedRow) : [];
}

function judgedRow({ id, kind, query, notes, answers }: z.infer<typeof publicSet>[number]): Judged {
  return {
    id,
    kind,
    query,
    right: new Map(Object.entries(notes).map(([path, grade]) => [path.normalize('NFC'), grade])),
    ...(answers && { answers }),
  };
}
