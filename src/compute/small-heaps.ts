// Keeps the memory of all threads small.
import { setFlagsFromString } from 'node:v8';

/**
 * From now on every thread tidies its heap before it takes more from the system: a server that waits beside an editor has to be
 * small. For when the code is loaded, which would only be slower for it, and before the vault is listed.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
