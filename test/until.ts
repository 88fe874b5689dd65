// Waits for what a test provokes. The deadline is long: on a busy machine everything takes longer, and a test that passes does not wait for it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 10;

/** Resolves when `isSo` is true; fails with `what` after a minute. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`never happened: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
