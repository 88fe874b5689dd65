// Hashes the content of a file, for change detection and etags.
import { createHash, hash } from 'node:crypto';

/** Hexadecimal digits kept of SHA-256: 128 bits, enough that no two contents of a vault ever meet. */
const DIGITS = 32;

/** 32 hexadecimal digits of the raw bytes, a byte order mark included. */
export function contentHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, DIGITS);
}

const SAMPLED = '~';

/** The hash of a file; where only parts of it were read, one of these and of its size. */
export function sampledHash({ bytes, sizeBytes }: { readonly bytes: Uint8Array; readonly sizeBytes: number }): string {
  if (bytes.length === sizeBytes) return contentHash(bytes);
  return `${SAMPLED}${contentHashOf([bytes, new TextEncoder().encode(String(sizeBytes))])}`;
}

export const isSampled = (hash: string): boolean => hash.startsWith(SAMPLED);

/** Undefined if that is unknown: one of them is missing, or only one is of the whole content. */
export function isSameContent(one: string | null, other: string | null): boolean | undefined {
  if (one === null || other === null || isSampled(one) !== isSampled(other)) return undefined;
  return one === other;
}

/** Digits of an etag: enough to distinguish the versions of one note. */
const ETAG_DIGITS = 12;

/** What clients are given of the hash of a note, because each digit costs tokens. */
export function etagOf(hash: string): string {
  return hash.slice(0, ETAG_DIGITS);
}

/** Whether an etag is of this hash; the whole hash is one, too. */
export function isEtagOf(etag: string, hash: string): boolean {
  return etag.length >= ETAG_DIGITS && hash.startsWith(etag);
}

/** The same for content in pieces. */
export function contentHashOf(pieces: Iterable<Uint8Array>): string {
  const sum = createHash('sha256');
  for (const piece of pieces) sum.update(piece);
  return sum.digest('hex').slice(0, DIGITS);
}
