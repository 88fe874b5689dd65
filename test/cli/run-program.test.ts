// Checks that the fast path of `serve` reads the same flags as the command line, and leaves everything else to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainServeOptions } from '../../src/cli/run-program.ts';

const read = (...words: string[]) => plainServeOptions(['node', 'vaultgraph', ...words]);

test('reads every flag of serve, with a space or an equals sign; the last one wins', () => {
  assert.deepEqual({ ...read('serve') }, {});
  assert.deepEqual(
    { ...read('serve', '--vault', 'a folder', '--data-dir=x=y', '--config', 'c.yaml', '--json') },
    { vault: 'a folder', dataDir: 'x=y', config: 'c.yaml', json: true },
  );
  assert.deepEqual({ ...read('serve', '--state-dir', 'y') }, { stateDir: 'y' });
  assert.deepEqual({ ...read('serve', '--vault', 'one', '--vault=two') }, { vault: 'two' });
  assert.deepEqual({ ...read('serve', '--vault=') }, { vault: '' });
});

test('leaves other arguments to the command line', () => {
  const others = [
    [],
    ['status'],
    ['--help'],
    ['help', 'serve'],
    ['--json', 'serve'],
    ['serve', '--help'],
    ['serve', '-h'],
    ['serve', 'now'],
    ['serve', '--'],
    ['serve', '--vaults', 'x'],
    ['serve', '--no-json'],
    ['serve', '--json=yes'],
    ['serve', '--vault'],
    ['serve', '--vault', '--json'],
    ['serve', '--__proto__', 'x'],
  ];
  for (const words of others) assert.equal(read(...words), undefined, words.join(' '));
});
