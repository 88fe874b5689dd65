// Each tool that writes, with a file operation that fails, once or from then on: the vault is as before or after, and says so.
import { test } from 'node:test';
import { bundledProgram } from '../runner/bundles.ts';
import { faultedTools } from './faulted-tools.ts';
import { checkFaults } from './run-child.ts';

const CHILD = bundledProgram('test/faults/tools-child.ts');
/** A process for each: one that has run thousands of calls becomes slow. */
const NAMES = new Set(faultedTools().map(({ tool }) => tool.name));

test('a failing file operation leaves the vault as it was or completely changed, and the answer says which and why', async () => {
  const names = [...NAMES];
  const checkNext = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await checkFaults(CHILD, { long: 0.1, short: 0.02 }, 500, name);
  };
  // Two at a time: one waits for its threads and files most of the time.
  await Promise.all([checkNext(), checkNext()]);
});
