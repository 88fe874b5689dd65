// Holds codes side by side in memory, each with its file and its vector.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Rows } from '../database/rows.ts';
import { generationNow, type OpenGeneration } from './generations.ts';
import { signBytes } from './vector-codes.ts';

/** What lies at the same place belongs together; the codes one behind the other. */
export interface CodeRows {
  readonly files: readonly number[];
  readonly vectors: readonly number[];
  readonly codes: Uint8Array;
}

export interface CodeSlots {
  /** From 0 up to here slots are in use, or were. */
  readonly end: number;
  /** How many are in use. */
  readonly used: number;
  /** The file of each slot; 0 where it is free. */
  readonly files: Uint32Array;
  readonly vectors: Uint32Array;
  /** One behind the other. */
  readonly signs: Uint8Array<ArrayBuffer>;
  /** The last byte of each code. */
  readonly along: Uint8Array;
  /** A number for each slot, for whoever looks through them. */
  readonly scratch: Uint16Array;
  add(rows: CodeRows): void;
  /** Frees every slot whose file passes. */
  free(passes: (file: number) => boolean): void;
}

/** Room beyond what is needed, so that not every addition copies all of it. */
const SPARE = 1 / 32;

/** @param bytes of the signs of one vector */
export function createCodeSlots(bytes: number): CodeSlots {
  const slots = {
    end: 0,
    used: 0,
    files: new Uint32Array(),
    vectors: new Uint32Array(),
    signs: new Uint8Array(),
    along: new Uint8Array(),
    scratch: new Uint16Array(),
  };
  const freed: number[] = [];

  const makeRoom = (more: number): void => {
    const needed = slots.end + Math.max(0, more - freed.length);
    if (needed <= slots.files.length) return;
    const room = Math.ceil(needed * (1 + SPARE));
    slots.files = grown(slots.files, new Uint32Array(room));
    slots.vectors = grown(slots.vectors, new Uint32Array(room));
    slots.signs = grown(slots.signs, new Uint8Array(room * bytes));
    slots.along = grown(slots.along, new Uint8Array(room));
    slots.scratch = new Uint16Array(room);
  };

  return Object.assign(slots, {
    add: ({ files, vectors, codes }: CodeRows) => {
      if (codes.length !== files.length * (bytes + 1))
        throw new VaultgraphError('INTERNAL', { kind: 'codes_incomplete' });
      makeRoom(files.length);
      slots.used += files.length;
      for (const [row, file] of files.entries()) {
        const slot = freed.pop() ?? slots.end++;
        slots.files[slot] = file;
        slots.vectors[slot] = vectors[row] ?? 0;
        const code = codes.subarray(row * (bytes + 1), (row + 1) * (bytes + 1));
        slots.signs.set(code.subarray(0, bytes), slot * bytes);
        slots.along[slot] = code[bytes] as number;
      }
    },
    free: (passes: (file: number) => boolean) => {
      for (let slot = 0; slot < slots.end; slot++) {
        const file = slots.files[slot] as number;
        if (file === 0 || !passes(file)) continue;
        slots.files[slot] = 0;
        slots.used--;
        freed.push(slot);
      }
    },
  });
}

function grown<T extends Uint8Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

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
