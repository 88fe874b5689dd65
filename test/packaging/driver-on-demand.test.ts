// Checks that the built program loads the driver of PostgreSQL only where the store is opened, and has its licence.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const DIST = join(import.meta.dirname, '../../dist');
const PACKAGES = ['pg', 'pg-pool', 'pg-protocol', 'pg-types'];
/** A name that the driver gives to a parameter of a connection. */
const DRIVER = 'idle_in_transaction_session_timeout';

/** The files that are loaded with a file: those that it imports, other than by `import()`. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const imported = readFileSync(join(DIST, file), 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g);
  for (const [, name = ''] of imported) loadedWith(name, loaded);
  return loaded;
}

const hasDriver = (file: string): boolean => readFileSync(join(DIST, file), 'utf8').includes(DRIVER);

test('no command loads the driver of PostgreSQL before a store on it is opened', () => {
  const files = globSync('*.js', { cwd: DIST });
  assert.ok(files.some(hasDriver), 'the program has the driver');
  const starts = files.filter((file) =>
    /^(?:main|run-program|.*-command|command-line|writer-thread)\b.*\.js$/.test(file),
  );
  assert.ok(starts.length > 10, starts.join(', '));
  for (const start of starts) assert.deepEqual([...loadedWith(start)].filter(hasDriver), [], start);
});

test('the licences of the driver are those of the package', () => {
  const licences = readFileSync(join(DIST, 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const name of PACKAGES) assert.match(licences, new RegExp(`^${name}[ @]`, 'm'));
});
