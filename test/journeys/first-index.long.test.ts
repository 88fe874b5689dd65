// Checks what calls return during the first index, and that a kill at any moment of it does no harm.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { assertEach } from '../assert-each.ts';
import { generateVault } from '../bench/generate-vault.ts';
import { createSeededRandom } from '../bench/random.ts';
import { until } from '../until.ts';
import { fingerprint } from './fingerprint.ts';
import { listedTools } from './listed-tools.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import { configFile, indexFile, openSession, PROGRAM, runProgram, serveArguments, temporaryFolder } from './session.ts';

async function bigVault(context: TestContext, notes: number): Promise<string> {
  const vault = temporaryFolder(context);
  await generateVault(vault, notes);
  return vault;
}

/** Starts a server with its stdin open, and kills it after `ms`. */
async function killedServer(vault: string, dataFolder: string, ms: number): Promise<void> {
  const child = spawn(process.execPath, serveArguments({ vault }, dataFolder), { stdio: ['pipe', 'ignore', 'ignore'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  setTimeout(() => child.kill('SIGKILL'), ms);
  await gone;
}

test('S7 kill -9 at any moment of the first index: the next start ends with the same graph as a fresh index', async (context) => {
  const vault = await bigVault(context, 400);
  const before = fingerprint(vault);
  const exported = (dataFolder: string): string => {
    const { status, stdout, stderr } = runProgram(context, ['export', '--vault', vault, '--data-dir', dataFolder]);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const began = performance.now();
  const fresh = exported(temporaryFolder(context));
  // Measures a whole run on this machine, so that the kills are spread over it.
  const whole = performance.now() - began;
  const random = createSeededRandom(7);
  const dataFolder = temporaryFolder(context);
  for (let round = 0; round < 20; round += 1) {
    await killedServer(vault, dataFolder, random.next() * whole);
    if (round % 4 === 3) {
      assert.equal(exported(dataFolder), fresh, `round ${round}`);
      assert.equal(runProgram(context, ['doctor', '--vault', vault, '--data-dir', dataFolder]).status, 0);
      rmSync(dataFolder, { recursive: true });
    }
  }
  assert.equal(fingerprint(vault), before);
});

test('S13 M7 initialize and tools/list are answered before the first index of a large vault is complete', async (context) => {
  const vault = await bigVault(context, 3_000);
  const server = startRawServer(context, { vault });
  await server.begin();
  server.send({ id: 1, method: 'tools/list' });
  server.send(toolCall(2, 'status'));
  const { tools } = (await server.reply(1)).result;
  assertEach(tools, ({ name }: { name: string }) => name, listedTools());
  const status = (await server.reply(2)).result.structuredContent;
  assert.equal(status.ok, true);
  assert.equal(status.partial, true, 'the first index is not there yet');
  assert.equal(status.data.index.complete, false);
  assert.match(status.data.index.running, /^job_/);
  server.send(toolCall(3, 'reindex', { wait_ms: 45_000 }));
  server.send(toolCall(4, 'list_notes', { limit: 1 }));
  const listed = (await server.reply(4)).result.structuredContent;
  if (listed.ok && listed.partial) assert.equal(listed.warnings[0].code, 'INDEX_PENDING');
  else if (listed.ok) assert.ok(listed.data.total > 0);
  else assert.equal(listed.error.code, 'INDEX_BUILDING');
});

test('while the first index of a large vault is built, a search answers from what is indexed and never says that nothing matches', async (context) => {
  const session = await openSession(context, { vault: await bigVault(context, 4_000) });
  const heads = new Set<string>();
  let isWhole = false;
  while (!isWhole) {
    const { text, structured } = await session.call('search_text', { query: 'xyzzyplugh' });
    const [head = ''] = text.split('\n');
    heads.add(head.replaceAll(/[\d,]+/g, '#'));
    isWhole = structured.ok && !structured.partial;
    if (!structured.ok) assert.equal(structured.error.code, 'INDEX_BUILDING');
    else if (!isWhole) assert.match(head, /^PARTIAL [\d,]+\/4,000 notes indexed$/);
  }
  assert.ok(heads.has('PARTIAL #/# notes indexed'), [...heads].join('\n'));
});

test('S13 the error for an unknown job lists the recent jobs, each of which can be followed', async (context) => {
  const vault = await bigVault(context, 20);
  const session = await openSession(context, { vault });
  const job = await session.indexed();
  const { structured, text } = await session.call('reindex', { job_id: 'job_nobody' });
  assert.equal(structured.error.code, 'JOB_NOT_FOUND');
  assert.ok(structured.error.details.recent.includes(job.job_id));
  for (const id of structured.error.details.recent) {
    assert.ok(text.includes(id));
    assert.equal((await session.call('reindex', { job_id: id })).isError, false);
  }
});

test('S7 an `index` interrupted by Ctrl-C keeps what it committed and reports the progress', async (context) => {
  const vault = await bigVault(context, 1_500);
  const dataFolder = temporaryFolder(context);
  const place = ['--vault', vault, '--data-dir', dataFolder];
  const child = spawn(process.execPath, [PROGRAM, 'index', ...place], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (shown: string) => {
    // Once, when it shows that it indexes: a second Ctrl-C would end it at once.
    if (stderr === '') child.kill('SIGINT');
    stderr += shown;
  });
  const code = await ended;
  const again = spawnSync(process.execPath, [PROGRAM, 'index', '--json', ...place], { encoding: 'utf8' });
  assert.equal(again.status, 0);
  assert.equal(JSON.parse(again.stdout).state, 'succeeded');
  assert.equal(code, 130, stderr);
  assert.match(
    stderr,
    /^Interrupted\. [\d,]+ (of [\d,]+ )?notes are indexed; run `\S*node .+ index .+` to continue\.$/m,
  );
});

/** What the index of a data folder has the text of. */
function indexedIn(dataFolder: string): number {
  const index = new DatabaseSync(indexFile(dataFolder), { readOnly: true, timeout: 20_000 });
  try {
    const hasFiles = index.prepare("SELECT name FROM sqlite_schema WHERE name = 'files'").get() !== undefined;
    return hasFiles ? Number(index.prepare("SELECT COUNT(*) AS count FROM files WHERE hash <> ''").get()?.count) : 0;
  } finally {
    index.close();
  }
}

test('a client that starts the server for every call gets answers from the first run on', async (context) => {
  const vault = await bigVault(context, 250);
  const dataFolder = temporaryFolder(context);
  for (const _ of [1, 2]) {
    const config = configFile(context, 'index: { first_wait: 59000 }');
    const session = await openSession(context, { vault, config, dataFolder });
    assert.equal((await session.call('get_hubs', {})).structured.ok, true);
    await session.close();
  }
});

test('a server that is killed has kept the compiled program for the next one', async (context) => {
  const env = { NODE_COMPILE_CACHE: temporaryFolder(context) };
  const server = startRawServer(context, { vault: await bigVault(context, 20), env });
  const isKept = (): boolean => readdirSync(env.NODE_COMPILE_CACHE, { recursive: true }).length > 20;
  await until(isKept, 'the compiled program is kept');
  server.child.kill('SIGKILL');
  await server.ended;
});

test('each server that is killed as soon as it has indexed something leaves more than the one before', async (context) => {
  const vault = await bigVault(context, 1_200);
  const dataFolder = temporaryFolder(context);
  let indexed = 0;
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, serveArguments({ vault }, dataFolder), {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    await until(() => existsSync(indexFile(dataFolder)) && indexedIn(dataFolder) > indexed, 'something is indexed');
    child.kill('SIGKILL');
    await gone;
    const now = indexedIn(dataFolder);
    assert.ok(now > indexed, `${now} after ${indexed}`);
    indexed = now;
  }
  assert.equal(runProgram(context, ['index', '--vault', vault, '--data-dir', dataFolder]).status, 0);
  assert.equal(indexedIn(dataFolder), 1_200);
});
