// Packs the texts of the history, and checks each by its length and hash when it is read back.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { contentHash } from '../../../base/content-hash.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Rows } from '../database/rows.ts';

/** Above it, time counts more than the last bytes. */
const MAX_SLOW_BYTES = 256 * 1024;
const [FAST, GOOD] = [1, 6];
/** No file of the vault that is read is larger. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

export function putText(history: Rows, hash: string, bytes: Uint8Array): void {
  if (history.value('SELECT 1 FROM texts WHERE hash = ?', hash) !== undefined) return;
  const packed = deflateRawSync(bytes, { level: bytes.length > MAX_SLOW_BYTES ? FAST : GOOD });
  history.run('INSERT INTO texts (hash, size, packed) VALUES (?, ?, ?)', hash, bytes.length, packed);
}

interface TextRow {
  readonly size: number;
  readonly packed: Uint8Array;
}

/** @throws DamagedRow if it is missing, or another text than was kept */
export function textIn(history: Rows, hash: string): Uint8Array {
  const row = history.first<TextRow>('SELECT size, packed FROM texts WHERE hash = ?', hash);
  if (row === undefined) throw new DamagedRow(`no text ${hash}`);
  const bytes = inflated(row.packed);
  if (bytes.length !== row.size || contentHash(bytes) !== hash) throw new DamagedRow(`text ${hash}`);
  return bytes;
}

function inflated(packed: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_TEXT_BYTES + 1 });
  } catch (cause) {
    throw new DamagedRow('a packed text', { cause });
  }
}
