// What vaultgraph writes besides notes, with a file operation that fails, once or from then on; and the recovery of changes.
import { test } from 'node:test';
import { checkFaults } from './run-child.ts';

test('tokens, settings, configs, exports, models, an index and a recovery are as before or after, what is answered is flushed, and the next call works', () =>
  checkFaults('files-child.ts', { long: 0.2, short: 0.05 }, 5_000));
