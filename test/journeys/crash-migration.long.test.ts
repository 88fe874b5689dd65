// Checks a server on an index of an older version: it serves at once, returns NOT_READY during the migration, and exits if the migration fails.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { NEXT_VERSION } from '../crash/crashing.ts';
import { until } from '../until.ts';
import { fingerprint } from './fingerprint.ts';
import { startRawServer } from './raw-server.ts';
import { copyOfFixture, openSession, runProgram, temporaryFolder } from './session.ts';

const FAILPOINTS = pathToFileURL(join(import.meta.dirname, '../crash/failpoints.ts')).href;
const NEXT = `--import=${pathToFileURL(NEXT_VERSION).href}`;

interface Older {
  readonly vault: string;
  readonly dataFolder: string;
  /** The migration waits while this file exists. */
  readonly hold: string;
  readonly env: Readonly<Record<string, string>>;
}

function olderIndex(context: TestContext, failpoint: string): Older {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  assert.equal(runProgram(context, ['index', '--vault', vault, '--data-dir', dataFolder]).status, 0);
  const hold = join(temporaryFolder(context), 'hold');
  writeFileSync(hold, '');
  const env = { NODE_OPTIONS: `--import=${FAILPOINTS} ${NEXT}`, FAILPOINT: failpoint, FAILPOINT_HOLD: hold };
  return { vault, dataFolder, hold, env };
}

test('S13 M7 during an index migration initialize is answered and calls return NOT_READY; afterwards every call works', async (context) => {
  const { hold, ...start } = olderIndex(context, 'migrate:before:1:hold');
  const before = fingerprint(start.vault);
  // The handshake is complete when this returns, and the migration is waiting.
  const session = await openSession(context, start);
  assert.ok((await session.toolNames()).includes('search_text'));
  for (const [tool, given] of [
    ['search_text', { query: 'tide' }],
    ['list_notes', {}],
    ['status', {}],
    ['reindex', {}],
  ] as const) {
    // The migration waits for this test, so an answer cannot have waited for the migration.
    const { structured, text } = await session.call(tool, given);
    assert.equal(structured.error?.code, 'NOT_READY', text);
    assert.deepEqual(structured.error.details, { phase: 'migrating' });
    assert.equal(structured.error.retryable, true);
  }
  rmSync(hold);
  await until(async () => !(await session.call('list_notes')).isError, 'it is ready');
  assert.equal((await session.indexed()).state, 'succeeded');
  assert.ok((await session.call('search_text', { query: 'tide' })).structured.data.total > 0);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
  assert.equal(fingerprint(start.vault), before);
});

test('S2 a migration that fails in the background ends the server with exit 78 and one clear line, and a second start succeeds', async (context) => {
  const { vault, dataFolder, env } = olderIndex(context, 'migrate:before:1:throw');
  const place = ['--vault', vault, '--data-dir', dataFolder];
  const served = startRawServer(context, { vault, dataFolder, env });
  const ended = await served.ended;
  const commands = ['index', 'status'].map((command) => runProgram(context, [command, ...place], env));
  for (const { status, stderr } of [{ status: ended, stderr: served.stderr() }, ...commands]) {
    assert.equal(status, 78, stderr);
    assert.match(stderr, /^Error \[STORE_FULL\]: StoreProvider failed: .+\nHint: .+/m);
    assert.doesNotMatch(stderr, /INTERNAL|at .+:\d+:\d+/);
  }
  assert.equal(runProgram(context, ['index', ...place], { NODE_OPTIONS: NEXT }).status, 0);
});

test('S2 a migration that is killed with its server leaves the old index intact, and the next start completes it', (context) => {
  const { vault, dataFolder, env } = olderIndex(context, 'migrate:before:1:kill');
  const place = ['--vault', vault, '--data-dir', dataFolder];
  assert.equal(runProgram(context, ['index', ...place], env).status, null);
  const cold = runProgram(context, ['export', '--vault', vault, '--data-dir', temporaryFolder(context)]).stdout;
  for (const version of [{}, { NODE_OPTIONS: NEXT }]) {
    assert.equal(runProgram(context, ['index', ...place], version).status, 0);
    assert.equal(runProgram(context, ['export', ...place], version).stdout, cold);
  }
});
