// Keeps the codes of a generation in memory, reads them in parts, and updates them when the generation changes.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Rows } from '../database/rows.ts';
import { type GenerationState, generationState } from './generations.ts';
import { signBytes } from './vector-codes.ts';

/** Codes of chunks, or of the mean vectors of whole notes. */
export type CodeKind = 'chunks' | 'notes';

interface CodeSet {
  readonly slots: CodeSlots;
  readonly generation: number;
  readonly kind: CodeKind;
  /** All codes of files up to this id have been loaded. */
  loadedUpTo: number;
  /** The state of the generation at the last update. */
  revision: number;
  removed: number;
}

/** Loading more at once would block the event loop. */
const MAX_LOADED_AT_ONCE = 10_000;

/** Hexadecimal text, because one long text is read three times as fast as many small blobs. */
const COLUMNS = `json_group_array(file) AS files, group_concat(hex(code), '') AS codes`;
const CODES: Readonly<Record<CodeKind, string>> = {
  chunks: `SELECT ${COLUMNS}, json_group_array(vector) AS vectors FROM chunks WHERE generation = ?`,
  notes: `SELECT ${COLUMNS}, json_group_array(centroid) AS vectors FROM embedded WHERE centroid IS NOT NULL AND generation = ?`,
};
const CHANGED_FILES = 'SELECT file FROM embedded WHERE generation = ? AND revision > ?';

export class CodeCache {
  readonly #rows: Rows;
  readonly #sets = new Map<string, CodeSet>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Loads some of the codes, so that `current` need not load all of them at once. @returns whether there may be more */
  loadSome(generation: number, kind: CodeKind): boolean {
    const state = generationState(this.#rows, generation);
    if (state === undefined || state.centroid === null) return false;
    return this.#load(this.#setFor(generation, state, kind));
  }

  /** The codes as of the current transaction. The generation has a centroid. */
  current(generation: number, state: GenerationState, kind: CodeKind): CodeSlots {
    const set = this.#setFor(generation, state, kind);
    while (this.#load(set));
    this.#update(set, state);
    return set.slots;
  }

  #setFor(generation: number, { dims, revision, removed }: GenerationState, kind: CodeKind): CodeSet {
    const key = `${kind} ${generation}`;
    const cached = this.#sets.get(key);
    if (cached !== undefined) return cached;
    this.#forgetUnused(generation);
    const slots = new CodeSlots(signBytes(dims));
    const set = { slots, generation, kind, loadedUpTo: 0, revision, removed };
    this.#sets.set(key, set);
    return set;
  }

  /** Only active generations, and the wanted one, are searched from now on. */
  #forgetUnused(bytes: number): void {
    const active = new Set(this.#rows.column<number>(`SELECT id FROM generations WHERE state = 'active'`));
    for (const [key, { generation }] of this.#sets)
      if (generation !== bytes && !active.has(generation)) this.#sets.delete(key);
  }

  #load(set: CodeSet): boolean {
    const { generation, kind, loadedUpTo } = set;
    if (loadedUpTo === Number.POSITIVE_INFINITY) return false;
    const table = kind === 'chunks' ? 'chunks' : 'embedded';
    const sql = `SELECT file FROM ${table} WHERE generation = ? AND file > ? ORDER BY file LIMIT 1 OFFSET ?`;
    const last = this.#rows.value<number>(sql, generation, loadedUpTo, MAX_LOADED_AT_ONCE);
    this.#add(set, 'file > ? AND file <= ?', [loadedUpTo, last ?? Number.MAX_SAFE_INTEGER]);
    set.loadedUpTo = last ?? Number.POSITIVE_INFINITY;
    return last !== undefined;
  }

  #update(set: CodeSet, { revision, removed }: GenerationState): void {
    const { slots, generation } = set;
    if (revision === set.revision) return;
    const since = [generation, set.revision];
    const changed = new Set(this.#rows.column<number>(CHANGED_FILES, ...since));
    slots.free((file) => changed.has(file));
    this.#add(set, `file IN (${CHANGED_FILES})`, since);
    if (removed !== set.removed) {
      const present = new Set(this.#rows.column<number>('SELECT file FROM embedded WHERE generation = ?', generation));
      slots.free((file) => !present.has(file));
    }
    set.revision = revision;
    set.removed = removed;
  }

  #add({ slots, generation, kind }: CodeSet, condition: string, values: readonly number[]): void {
    type Columns = { files: string; vectors: string; codes: string | null };
    const columns = this.#rows.first<Columns>(`${CODES[kind]} AND ${condition}`, generation, ...values);
    if (columns === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_codes' });
    const codes = Buffer.from(columns.codes ?? '', 'hex');
    slots.add({ files: JSON.parse(columns.files), vectors: JSON.parse(columns.vectors), codes });
  }
}

/** Columns of equal length; `codes` has the codes one after the other. */
interface CodeRows {
  readonly files: readonly number[];
  readonly vectors: readonly number[];
  readonly codes: Uint8Array;
}

/** Extra room, so that not every addition copies the arrays. */
const SPARE = 1 / 32;

/** Codes in typed arrays, each with its file and its vector at the same index, the slot. */
export class CodeSlots {
  /** The slots from 0 up to here are used or freed. */
  end = 0;
  used = 0;
  /** The file of each slot; 0 if the slot is free. */
  files = new Uint32Array();
  vectors = new Uint32Array();
  /** The signs of all codes one after the other. */
  signs = new Uint8Array();
  /** The last byte of each code. */
  projections = new Uint8Array();
  /** Working memory of a search: one number per slot. */
  scratch = new Uint16Array();
  readonly #signBytes: number;
  readonly #freed: number[] = [];

  constructor(signBytes: number) {
    this.#signBytes = signBytes;
  }

  add({ files, vectors, codes }: CodeRows): void {
    const bytes = this.#signBytes;
    if (codes.length !== files.length * (bytes + 1))
      throw new VaultgraphError('INTERNAL', { kind: 'codes_incomplete' });
    this.#grow(files.length);
    this.used += files.length;
    for (const [row, file] of files.entries()) {
      const slot = this.#freed.pop() ?? this.end++;
      this.files[slot] = file;
      this.vectors[slot] = vectors[row] ?? 0;
      const code = codes.subarray(row * (bytes + 1), (row + 1) * (bytes + 1));
      this.signs.set(code.subarray(0, bytes), slot * bytes);
      this.projections[slot] = code[bytes] as number;
    }
  }

  free(isFreed: (file: number) => boolean): void {
    for (let slot = 0; slot < this.end; slot++) {
      const file = this.files[slot] as number;
      if (file === 0 || !isFreed(file)) continue;
      this.files[slot] = 0;
      this.used--;
      this.#freed.push(slot);
    }
  }

  #grow(added: number): void {
    const needed = this.end + Math.max(0, added - this.#freed.length);
    if (needed <= this.files.length) return;
    const room = Math.ceil(needed * (1 + SPARE));
    this.files = copyInto(new Uint32Array(room), this.files);
    this.vectors = copyInto(new Uint32Array(room), this.vectors);
    this.signs = copyInto(new Uint8Array(room * this.#signBytes), this.signs);
    this.projections = copyInto(new Uint8Array(room), this.projections);
    this.scratch = new Uint16Array(room);
  }
}

function copyInto<T extends Uint8Array | Uint32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
