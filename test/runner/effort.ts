// Decides how much of a random, repeated or slow test `npm test` runs; `npm run test:long` runs all of it.
import { it } from 'node:test';

/** Whether this is `npm run test:long`. */
export const isLong = process.env.VAULTGRAPH_TEST_LONG === '1';

/** How many runs a random test has: all of them in the long tests, else a tenth. */
export function runs(full: number): number {
  return isLong ? full : Math.ceil(full / 10);
}

/** Registers a test that only the long tests run, in a file whose other tests both run. */
export function longTest(title: string, check: () => Promise<void>): void {
  if (isLong) it(title, check);
}

/** How often something must have happened by chance in the runs of a test; a short test needs half as often, since its count varies more. */
export function minimum(full: number): number {
  return isLong ? full : Math.floor(full / 20);
}
