// Keeps the codes of a generation in memory, read once and then brought up to date with what changed.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Rows } from '../database/rows.ts';
import { type CodeSlots, createCodeSlots } from './code-slots.ts';
import { generationNow, type OpenGeneration } from './generation-rows.ts';
import { signBytes } from './sign-codes.ts';

/** Codes of chunks, or of the means of whole notes. */
export type Coded = 'chunks' | 'notes';

export interface KeptCodes {
  /** Reads some of those that have not been read, so that `now` need not read all of them at once. @returns whether there may be more */
  readSome(rows: Rows, generation: number, coded: Coded): boolean;
  /** The codes as they are in the state of the index that `rows` sees. The generation has a middle. */
  now(rows: Rows, generation: number, open: OpenGeneration, coded: Coded): CodeSlots;
}

interface Kept {
  readonly slots: CodeSlots;
  readonly generation: number;
  readonly coded: Coded;
  /** The file up to which all have been read. */
  readUpTo: number;
  /** Of the generation when it was last looked at. */
  revision: number;
  removed: number;
}

/** Codes that are read at once: more would hold up the event loop. */
const READ_AT_ONCE = 10_000;

/** Hexadecimal because one long text arrives in a third of the time of many small blobs. */
const COLUMNS = `json_group_array(file) AS files, group_concat(hex(code), '') AS codes`;
const ROWS: Readonly<Record<Coded, string>> = {
  chunks: `SELECT ${COLUMNS}, json_group_array(vector) AS vectors FROM chunks WHERE generation = ?`,
  notes: `SELECT ${COLUMNS}, json_group_array(centroid) AS vectors FROM embedded WHERE centroid IS NOT NULL AND generation = ?`,
};

export function createKeptCodes(): KeptCodes {
  const kept = new Map<string, Kept>();

  const keptFor = (rows: Rows, generation: number, open: OpenGeneration, coded: Coded): Kept => {
    const key = `${coded} ${generation}`;
    const known = kept.get(key) ?? unread(generation, open, coded);
    if (!kept.has(key)) forgetOthers(rows, kept, generation);
    kept.set(key, known);
    return known;
  };

  return {
    readSome: (rows, generation, coded) => {
      const open = generationNow(rows, generation);
      return open !== undefined && open.middle !== null && readSome(rows, keptFor(rows, generation, open, coded));
    },
    now: (rows, generation, open, coded) => {
      const known = keptFor(rows, generation, open, coded);
      while (readSome(rows, known));
      bringUpToDate(rows, known, open);
      return known.slots;
    },
  };
}

function unread(generation: number, { dims, revision, removed }: OpenGeneration, coded: Coded): Kept {
  return { slots: createCodeSlots(signBytes(dims)), generation, coded, readUpTo: 0, revision, removed };
}

/** Only active generations are asked for long, and one that is being built until then. */
function forgetOthers(rows: Rows, kept: Map<string, Kept>, wanted: number): void {
  const active = new Set(rows.column<number>(`SELECT id FROM generations WHERE state = 'active'`));
  for (const [key, { generation }] of kept) if (generation !== wanted && !active.has(generation)) kept.delete(key);
}

function readSome(rows: Rows, kept: Kept): boolean {
  if (kept.readUpTo === Number.POSITIVE_INFINITY) return false;
  const { generation, coded, readUpTo } = kept;
  const table = coded === 'chunks' ? 'chunks' : 'embedded';
  const sql = `SELECT file FROM ${table} WHERE generation = ? AND file > ? ORDER BY file LIMIT 1 OFFSET ?`;
  const [last] = rows.column<number>(sql, generation, readUpTo, READ_AT_ONCE);
  add(rows, kept, 'file > ? AND file <= ?', [readUpTo, last ?? Number.MAX_SAFE_INTEGER]);
  kept.readUpTo = last ?? Number.POSITIVE_INFINITY;
  return last !== undefined;
}

function bringUpToDate(rows: Rows, kept: Kept, { revision, removed }: OpenGeneration): void {
  const { slots, generation } = kept;
  if (revision === kept.revision) return;
  const since = [generation, kept.revision];
  const changed = new Set(rows.column<number>(`SELECT ${CHANGED}`, ...since));
  slots.free((file) => changed.has(file));
  add(rows, kept, `file IN (SELECT ${CHANGED})`, since);
  if (removed !== kept.removed) {
    const present = new Set(rows.column<number>('SELECT file FROM embedded WHERE generation = ?', generation));
    slots.free((file) => !present.has(file));
  }
  kept.revision = revision;
  kept.removed = removed;
}

const CHANGED = 'file FROM embedded WHERE generation = ? AND revision > ?';

interface CodeColumns {
  readonly files: string;
  readonly vectors: string;
  /** Null where there is no row. */
  readonly codes: string | null;
}

function add(rows: Rows, { slots, generation, coded }: Kept, among: string, values: readonly number[]): void {
  const found = rows.first<CodeColumns>(`${ROWS[coded]} AND ${among}`, generation, ...values);
  if (found === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_codes' });
  const codes = Buffer.from(found.codes ?? '', 'hex');
  slots.add({ files: JSON.parse(found.files), vectors: JSON.parse(found.vectors), codes });
}
