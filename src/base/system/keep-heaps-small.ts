// Makes the heaps of this process grow slowly.
import { setFlagsFromString } from 'node:v8';

/**
 * From now on every thread collects garbage before it takes more memory from the system: a server that idles next to an editor should
 * be small. Not before it serves, because that would slow down loading the code.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=25');
}
