// Each tool that writes, with a file operation that fails, once or from then on: the vault is as before or after, and says so.
import { test } from 'node:test';
import { checkFaults } from './run-child.ts';

test('a failing file operation leaves the vault as it was or completely changed, and the answer says which and why', () =>
  checkFaults('tools-child.ts', { long: 0.1, short: 0.02 }, 10_000));
