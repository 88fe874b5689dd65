// Decides how many runs of a random or repeated test `npm test` makes; `npm run test:long` makes all of them.

/** Whether this is `npm run test:long`. */
export const isLong = process.env.VAULTGRAPH_TEST_LONG === '1';

/** How many runs a random test has: all of them in the long tests, else a tenth. */
export function runs(full: number): number {
  return isLong ? full : Math.ceil(full / 10);
}

/** How often something must have happened by chance in the runs of a test; a short test needs half as often, since its count varies more. */
export function minimum(full: number): number {
  return isLong ? full : Math.floor(full / 20);
}
