// Notices that an older copy was written over the index file while it is open, which SQLite itself does not see.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Connection } from './connection.ts';

/**
 * Looks at the count of heartbeats in the file: every change of the index by its leader raises it, so that it never shrinks. The file
 * stays open until the connections of this process are closed, since closing it earlier would take away their locks.
 */
export class RollbackWitness {
  readonly #file: string;
  /** Undefined unless it is open. */
  #descriptor: number | undefined;
  #page = Buffer.alloc(0);
  #position = 0;
  #changedAt = 0;
  #beats = 0;

  constructor(file: string) {
    this.#file = file;
  }

  open(reader: Connection): void {
    const bytes = reader.pragma('page_size', { simple: true }) as number;
    const sql = `SELECT rootpage FROM sqlite_schema WHERE name = 'lease'`;
    const root = reader.prepare<[], number>(sql).pluck().get() ?? 1;
    this.#page = Buffer.alloc(bytes);
    this.#position = (root - 1) * bytes;
    this.#descriptor = openSync(this.#file, 'r');
    this.isRolledBack(statSync(this.#file).ctimeMs);
  }

  /** @param changedAt when the file was last changed */
  isRolledBack(changedAt: number): boolean {
    if (changedAt === this.#changedAt || this.#descriptor === undefined) return false;
    const length = readSync(this.#descriptor, this.#page, 0, this.#page.length, this.#position);
    const beats = length === this.#page.length ? beatsIn(this.#page) : undefined;
    // A page that is being written is looked at again.
    if (beats === undefined) return false;
    if (beats < this.#beats) return true;
    this.#changedAt = changedAt;
    this.#beats = beats;
    return false;
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const TABLE_LEAF = 0x0d;
/** By the code of a column in SQLite's record format: the bytes of an integer. */
const INTEGER_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 8: 0, 9: 0 };

/** The second column of the only row. */
function beatsIn(page: Buffer): number | undefined {
  if (page[0] !== TABLE_LEAF || page.readUInt16BE(3) !== 1) return undefined;
  const cell = page.readUInt16BE(8);
  const header = skipNumber(page, skipNumber(page, cell));
  const [token = 0, beats = 0] = page.subarray(header + 1);
  const [skipped, bytes] = [INTEGER_BYTES[token], INTEGER_BYTES[beats]];
  const headerBytes = page[header] ?? 0;
  const at = header + headerBytes + (skipped ?? 0);
  if (skipped === undefined || bytes === undefined || at + bytes > page.length) return undefined;
  return bytes === 0 ? beats - 8 : page.readIntBE(at, bytes);
}

/** Past a number of variable length: the last byte has no high bit. */
function skipNumber(page: Buffer, from: number): number {
  let at = from;
  while ((page[at] ?? 0) > 0x7f) at += 1;
  return at + 1;
}
