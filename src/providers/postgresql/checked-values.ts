// Recognizes values in PostgreSQL that are not as they were written: each carries a checksum or a hash.
import { crc32 } from 'node:zlib';
import { VaultgraphError } from '../../base/errors.ts';
import { unpackKept } from '../../base/kept-json.ts';
import { rowChecksum } from '../sqlite/database/checksum.ts';
import { type ConnectionSettings, indexName } from './connection/settings.ts';

/** Ends a transaction in which no statement failed: it is rolled back, and the connection is used again. */
export class Abandoned extends Error {}

/** The fault is in PostgreSQL: the copy on this machine is as it was. The message is a fixed text. */
export class DamagedOriginal extends Abandoned {
  /** The epoch of the index in which it was found, if that is known. */
  epoch: number | undefined;
}

const SUM_BYTES = 4;

/** @param about what the bytes belong to, such as a path */
export function sealBytes(bytes: Uint8Array, about: string): Buffer {
  const sealed = Buffer.allocUnsafe(SUM_BYTES + bytes.length);
  sealed.writeUInt32LE(crc32(bytes, crc32(about)));
  sealed.set(bytes, SUM_BYTES);
  return sealed;
}

/** @param what names the bytes in the error. @throws DamagedOriginal */
export function unsealBytes(sealed: Buffer, about: string, what: string): Buffer {
  const bytes = sealed.subarray(SUM_BYTES);
  if (sealed.length > SUM_BYTES && sealed.readUInt32LE() === crc32(bytes, crc32(about))) return bytes;
  throw new DamagedOriginal(what);
}

/** Returns the value in a text that `packKept` made. @throws DamagedOriginal */
export function valueIn<T>(kept: string, about: string, what: string): T {
  const value = unpackKept(kept, about);
  if (value === undefined) throw new DamagedOriginal(what);
  return value as T;
}

interface ListedFile {
  readonly path: string;
  readonly kind: string;
  readonly size: number;
  readonly modified: number;
  readonly created: number | null;
  readonly evicted: number | boolean;
  readonly conflict_copy: number | boolean;
  readonly excluded: number | boolean;
  readonly hash: string | null;
}

/** The checksum of every column but the content, which has its own. */
export const fileChecksum = (file: ListedFile): number =>
  rowChecksum(
    file.path,
    file.kind,
    file.size,
    file.modified,
    file.created,
    Number(file.evicted),
    Number(file.conflict_copy),
    Number(file.excluded),
    file.hash,
  );

export interface ListedGeneration {
  readonly id: number;
  readonly role: string;
  readonly state: string;
  readonly fingerprint: string;
  readonly dims: number;
  readonly middle: Uint8Array | null;
  readonly created: string;
  readonly activated: string | null;
}

export const generationChecksum = (one: ListedGeneration): number =>
  rowChecksum(one.id, one.role, one.state, one.fingerprint, one.dims, one.middle, one.created, one.activated);

/** A server empties the tables at once. */
const SOON = { retry: 'D', retryAfterMs: 4_000 } as const;

/** @param rebuild when a server rebuilds the index, or `now`; undefined if no server is known to do so */
export function damagedError(
  settings: ConnectionSettings,
  op: string,
  rebuild?: string,
  cause?: unknown,
): VaultgraphError<'STORE_CORRUPT'> {
  const details = { op, config_key: 'providers.store', file: indexName(settings), ...(rebuild && { rebuild }) };
  return new VaultgraphError('STORE_CORRUPT', details, { cause, ...(rebuild === 'now' && SOON) });
}

/** Returns `thrown` itself unless it is about damage in PostgreSQL. */
export const toDamagedError = (thrown: unknown, settings: ConnectionSettings, op: string): unknown =>
  thrown instanceof DamagedOriginal ? damagedError(settings, op, undefined, thrown) : thrown;
