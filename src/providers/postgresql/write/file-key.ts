// Computes the key of a path: a hash, because a path may be longer than a key of a table can be.
import { createHash } from 'node:crypto';

/** As a UUID: 128 bits in hexadecimal digits. */
export const keyOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 32);
