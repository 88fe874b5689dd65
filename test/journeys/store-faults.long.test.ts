// Checks startup with index files that are damaged, foreign or from a newer version, and how `doctor` repairs them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { addChecksumFunction } from '../../src/providers/sqlite/database/open-database.ts';
import { APPLICATION_ID } from '../../src/providers/sqlite/database/schema.ts';
import { until } from '../until.ts';
import { fileHash, fingerprint } from './fingerprint.ts';
import {
  type Answer,
  copyOfFixture,
  type Ended,
  indexFile,
  openSession,
  PROGRAM,
  runProgram,
  temporaryFolder,
} from './session.ts';

/** The page size of the index file in bytes. */
const PAGE = 4_096;

interface Place {
  readonly vault: string;
  readonly dataFolder: string;
  readonly file: string;
  run(...args: string[]): Ended;
}

/** A fixture vault with an index that was closed cleanly. */
function indexedVault(context: TestContext): Place {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  const run = (...args: string[]): Ended => runProgram(context, [...args, '--vault', vault, '--data-dir', dataFolder]);
  assert.equal(run('index').status, 0);
  return { vault, dataFolder, file: indexFile(dataFolder), run };
}

function flipPage(file: string): void {
  const half = Math.floor(readFileSync(file).length / 2 / PAGE) * PAGE;
  for (const offset of [100, half]) {
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(2_000, 0xa5), 0, 2_000, offset);
    closeSync(descriptor);
  }
}

const DAMAGE: readonly (readonly [name: string, damage: (file: string) => void])[] = [
  ['a text file', (file) => writeFileSync(file, 'these are no pages\n'.repeat(1_000))],
  ['truncated within its first page', (file) => truncateSync(file, 60)],
  ['truncated after its first page', (file) => truncateSync(file, PAGE)],
  ['overwritten in two pages', flipPage],
  ['without one of its tables', (file) => change(file, 'DROP TABLE names')],
  ['of a negative version', (file) => change(file, 'PRAGMA user_version = -8')],
  ['of no version', (file) => change(file, 'PRAGMA user_version = 0')],
  ['of another program that has the same application id', asForeign],
];

/** Runs SQL. The rows that it changes get the checksum of their new values. */
function change(file: string, sql: string): void {
  const database = new Database(file);
  addChecksumFunction(database);
  database.exec(sql);
  database.close();
}

function asForeign(file: string): void {
  rmSync(file);
  change(
    file,
    `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1; CREATE TABLE theirs (x); INSERT INTO theirs VALUES ('kept')`,
  );
}

const SEARCHES = ['tide', 'harbour -tide', '"spring tide"', 'light*', 'nothing of the kind'];

/** Of one server, which starts on the index as it is. */
async function answers(context: TestContext, { vault, dataFolder }: Place): Promise<unknown[]> {
  const session = await openSession(context, { vault, dataFolder });
  const all: unknown[] = [];
  for (const query of SEARCHES) all.push((await session.call('search_text', { query })).structured.data);
  await session.close();
  return all;
}

for (const [name, damage] of DAMAGE) {
  test(`S1 an index file that is ${name}: commands exit 78 with a hint, and doctor --rebuild-index repairs it`, async (context) => {
    const place = indexedVault(context);
    const { run, file, vault } = place;
    const before = {
      answers: await answers(context, place),
      exported: run('export').stdout,
      vault: fingerprint(vault),
    };
    damage(file);
    const damaged = fileHash(file);
    for (const command of ['index', 'status']) {
      const refused = run(command);
      assert.equal(refused.status, 78, `${command}: ${refused.stderr}`);
      assert.equal(refused.stdout, '');
      assert.match(refused.stderr, /STORE_CORRUPT/);
      assert.match(refused.stderr, /doctor --rebuild-index/);
    }
    const looked = run('doctor', '--json');
    assert.equal(looked.status, 2);
    assert.match(looked.stdout, /STORE_CORRUPT/);
    assert.equal(fileHash(file), damaged, 'plain doctor heals nothing');
    const healed = run('doctor', '--rebuild-index');
    assert.ok(healed.status === 0 || healed.status === 1, healed.stdout + healed.stderr);
    const kept = readdirSync(dirname(file)).filter((entry) => entry.endsWith('.aside'));
    assert.equal(kept.length, 1);
    assert.equal(fileHash(join(dirname(file), kept[0] ?? '')), damaged, 'the old file is kept aside as it was');
    assert.deepEqual(await answers(context, place), before.answers);
    assert.equal(run('export').stdout, before.exported);
    assert.equal(fingerprint(vault), before.vault);
  });
}

test('S1 a server puts a new index in place of a damaged one, at most once an hour, and says so', async (context) => {
  for (const [name, damage] of DAMAGE.slice(1, 4)) {
    const place = indexedVault(context);
    const { vault, dataFolder, file } = place;
    const before = await answers(context, place);
    damage(file);
    const damaged = fileHash(file);
    const session = await openSession(context, { vault, dataFolder });
    await session.indexed();
    const { data } = (await session.call('status')).structured;
    const store = data.capabilities.present.find(({ capability }: { capability: string }) => capability === 'store');
    const [, kept = ''] = /was damaged; the damaged file is kept as (\S+)/.exec(store.detail) ?? [];
    assert.equal(fileHash(join(dirname(file), kept)), damaged, name);
    assert.match(session.stderr(), /"index_damaged".*"index_rebuilt"/s);
    await session.close();
    assert.deepEqual(await answers(context, place), before, name);
    damage(file);
    const again = await openSession(context, { vault, dataFolder });
    for (const [tool, given] of [
      ['list_notes', {}],
      ['read_notes', { notes: ['Harbour'] }],
      ['resolve_names', { names: ['Harbour'] }],
      ['search_text', { query: 'tide' }],
      ['reindex', {}],
    ] as const) {
      const { error } = (await again.call(tool, given)).structured;
      assert.equal(error?.code, 'STORE_CORRUPT', `${name}, ${tool}`);
      assert.match(error.hint, /less than an hour ago.*the next time is/);
    }
    assert.equal((await again.call('status')).structured.warnings.at(-1).code, 'INDEX_DAMAGED');
    await again.close();
  }
});

test('S1 a server that follows has the one that leads put a new index in place, and uses it', async (context) => {
  const { vault, dataFolder, file } = indexedVault(context);
  const leader = await openSession(context, { vault, dataFolder });
  await leader.indexed();
  const follower = await openSession(context, { vault, dataFolder });
  const { total } = (await follower.call('list_notes')).structured.data;
  change(file, 'DROP TABLE links');
  const refused = (await follower.call('get_neighbors', { note: 'Harbour' })).structured;
  assert.equal(refused.error?.code, 'STORE_CORRUPT', JSON.stringify(refused));
  for (const session of [follower, leader]) {
    let answer = (await session.call('list_notes')).structured;
    for (; !answer.ok || answer.partial; answer = (await session.call('list_notes')).structured)
      assert.ok(
        answer.ok || /STORE_CORRUPT|NOT_READY|INDEX_|STORE_UNAVAILABLE/.test(answer.error.code),
        answer.error?.code,
      );
    assert.equal(answer.data.total, total);
  }
  assert.match(leader.stderr(), /"index_rebuilt"/);
  assert.doesNotMatch(follower.stderr(), /"index_rebuilt"|INTERNAL/);
  await Promise.all([leader.close(), follower.close()]);
});

test('an index that is removed while servers use it is made again by one of them, unless its log is left', async (context) => {
  const { vault, dataFolder, file } = indexedVault(context);
  const sessions = [
    await openSession(context, { vault, dataFolder }),
    await openSession(context, { vault, dataFolder }),
  ];
  const list = async () => {
    const answers = await Promise.all(sessions.map((session) => session.call('list_notes')));
    return answers.map(({ structured }) => structured);
  };
  const [before] = await list();
  rmSync(dirname(file), { recursive: true });
  for (const { error } of await list()) assert.match(error.hint, /Try again after ten seconds/);
  const isAsBefore = async () =>
    (await list()).every((answer) => {
      assert.ok(answer.ok || /STORE_UNAVAILABLE|NOT_READY|INDEX_/.test(answer.error.code), JSON.stringify(answer));
      return answer.ok && answer.partial !== true && answer.data.total === before.data.total;
    });
  await until(isAsBefore, 'a new index');
  rmSync(file);
  for (const { error } of await list()) assert.match(error.hint, /put it back, or to end all servers/);
});

test('S1 any one damaged page: commands return STORE_CORRUPT, and doctor finds it', (context) => {
  const { vault, dataFolder, file } = indexedVault(context);
  const bytes = readFileSync(file);
  // The store itself is tried with every page damaged, in bit-flips.long.test.ts.
  for (let page = 1; page < bytes.length / PAGE; page += 12) {
    const copy = temporaryFolder(context);
    cpSync(dataFolder, copy, { recursive: true });
    writeFileSync(indexFile(copy), Buffer.from(bytes).fill(0xa5, page * PAGE, (page + 1) * PAGE));
    const place = ['--vault', vault, '--data-dir', copy];
    assert.equal(runProgram(context, ['doctor', ...place]).status, 2, `page ${page}`);
    assert.equal(runProgram(context, ['call', 'list_notes', '{}', ...place]).status, 78, `page ${page}`);
  }
});

test('S1 an index that loses its bytes while a server runs: STORE_CORRUPT, and then a new index', async (context) => {
  const LOSSES: readonly (readonly [name: string, lose: (file: string) => void])[] = [
    ...[0, 1, 60, PAGE].map((bytes) => [`${bytes} bytes left`, (file: string) => truncateSync(file, bytes)] as const),
    ['zeros', (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
    [
      'an empty file',
      (file) => {
        writeFileSync(`${file}.new`, '');
        renameSync(`${file}.new`, file);
      },
    ],
  ];
  for (const [name, lose] of LOSSES) {
    const { vault, dataFolder, file } = indexedVault(context);
    const session = await openSession(context, { vault, dataFolder });
    const find = () => session.call('search_text', { query: 'tide' });
    const { total } = (await find()).structured.data;
    lose(file);
    const codes = new Set<string | undefined>();
    await until(async () => {
      const { ok, error, data } = (await find()).structured;
      codes.add(error?.code);
      return ok && data.total === total;
    }, `${name}: a new index is made`);
    for (const code of [undefined, 'STORE_CORRUPT', 'NOT_READY', 'INDEX_BUILDING']) codes.delete(code);
    assert.deepEqual([...codes], [], name);
    assert.match(session.stderr(), /"index_rebuilt"/, name);
    await session.close();
  }
});

const STORED_JSON = `UPDATE contents SET headings = '[["Tide', tag_places = '[[]'`;

for (const [what, sql, tool, given] of [
  ['a dropped table', 'DROP TABLE links', 'get_neighbors', { note: 'Harbour' }],
  ['a dropped full-text table', 'DROP TABLE text_segments', 'search_text', { query: 'tide' }],
  ['damaged stored JSON', STORED_JSON, 'list_notes', {}],
] as const) {
  test(`S1 ${what}, while a server runs: STORE_CORRUPT with the hint, and then a new index`, async (context) => {
    const { vault, dataFolder, file } = indexedVault(context);
    const running = await openSession(context, { vault, dataFolder });
    assert.ok((await running.call(tool, given)).structured.ok);
    change(file, sql);
    const answers: Answer[] = [];
    await until(async () => {
      answers.push(await running.call(tool, given));
      return answers.at(-1)?.structured.error?.code !== 'NOT_READY';
    }, 'the change of the file is compared with the vault');
    const { ok, error } = answers.at(-1)?.structured ?? assert.fail();
    // The comparison may find the damage first, and build the index again before the next call.
    if (!ok || answers.length === 1) {
      assert.equal(error?.code, 'STORE_CORRUPT', JSON.stringify(error));
      assert.match(error?.hint ?? '', /doctor --rebuild-index/);
    }
    await running.close();
    const started = runProgram(context, [
      'call',
      tool,
      JSON.stringify(given),
      '--vault',
      vault,
      '--data-dir',
      dataFolder,
    ]);
    assert.equal(started.status, 0, started.stderr);
    for (const log of [running.stderr(), started.stderr]) assert.doesNotMatch(log, /INTERNAL|STORE_ERROR/);
  });
}

test('S2 an index of a newer version: exit 78 with both versions, and the file is not changed', (context) => {
  const { run, file } = indexedVault(context);
  const future = new Database(file);
  future.pragma('user_version = 999');
  future.close();
  const before = fileHash(file);
  for (const command of ['serve', 'index', 'status', 'export']) {
    const refused = run(command);
    assert.equal(refused.status, 78, command);
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /STORE_SCHEMA_TOO_NEW.*999/);
    assert.match(refused.stderr, /Hint: .+/);
  }
  assert.equal(run('doctor').status, 2);
  assert.equal(fileHash(file), before);
});

test('S1 a database of another program in place of the index is refused and not changed', (context) => {
  const { run, file } = indexedVault(context);
  writeFileSync(file, '');
  const other = new Database(file);
  other.exec('CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES (1)');
  other.close();
  const before = fileHash(file);
  assert.equal(run('serve').status, 78);
  assert.equal(fileHash(file), before);
});

test('STORE_UNAVAILABLE if the data folder is a file: exit 78 before the server starts', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const file = join(temporaryFolder(context), 'file');
  writeFileSync(file, 'a file');
  for (const command of ['serve', 'index', 'status']) {
    const refused = runProgram(context, [command, '--vault', vault, '--data-dir', file]);
    assert.equal(refused.status, 78, refused.stderr);
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /Hint: .+/);
    assert.doesNotMatch(refused.stderr, /INTERNAL|at .+:\d+:\d+/);
  }
  assert.equal(readFileSync(file, 'utf8'), 'a file');
});

test('S11 status, doctor and every read tool change neither the vault nor the index', async (context) => {
  const { vault, dataFolder, file, run } = indexedVault(context);
  const before = { vault: fingerprint(vault), exported: run('export').stdout };
  const index = fileHash(file);
  for (const command of [['status'], ['status', '--json'], ['doctor'], ['config']]) {
    assert.equal(run(...command).status, 0, command.join(' '));
    assert.equal(fileHash(file), index, `${command.join(' ')} leaves the index file as it is`);
  }
  const session = await openSession(context, { vault, dataFolder });
  await session.indexed();
  const revision = async (): Promise<number> => (await session.call('status')).structured.data.counts.revision;
  const known = await revision();
  for (const [tool, given] of [
    ['search_text', { query: 'tide' }],
    ['read_notes', { notes: ['Harbour'] }],
    ['list_notes', { sort: 'random' }],
    ['list_tags', {}],
    ['list_tasks', { status: 'any' }],
    ['check_note', { note: 'Harbour', query: 'tide' }],
    ['resolve_names', { names: ['Harbour'] }],
    ['get_neighbors', { note: 'Harbour', depth: 3 }],
    ['find_path', { from: 'Harbour', to: 'Lighthouse' }],
    ['get_hubs', { metric: 'betweenness' }],
    ['get_communities', {}],
    ['find_gaps', { kind: 'unlinked_mentions' }],
    ['find_related', { note: 'Harbour' }],
    ['get_context', { topic: 'tide' }],
    ['get_timeline', { notes: ['Harbour'] }],
  ] as const) {
    assert.equal((await session.call(tool, given)).isError, false, tool);
  }
  assert.equal(await revision(), known);
  await session.close();
  assert.equal(run('export').stdout, before.exported);
  assert.equal(fingerprint(vault), before.vault);
});

test('S11 the counts that status reports match the index', async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'broken') });
  await session.indexed();
  const { counts, index, quarantine } = (await session.call('status')).structured.data;
  const database = new Database(indexFile(session.dataFolder), { readonly: true });
  const count = (sql: string): unknown => database.prepare(sql).pluck().get();
  assert.equal(counts.links, count('SELECT count(*) FROM links'));
  assert.equal(counts.unresolved, count('SELECT count(*) FROM links WHERE target IS NULL'));
  assert.equal(counts.files, count('SELECT count(*) FROM files'));
  assert.equal(index.quarantined, count('SELECT count(DISTINCT path) FROM quarantine'));
  assert.ok(quarantine.length >= index.quarantined);
  database.close();
});

const HOSTILE_QUERIES = [
  'foo AND',
  'OR',
  'NOT',
  '"',
  '""',
  'nope:x',
  'NEAR(',
  'NEAR(a b, 2)',
  'a OR b)',
  '(',
  '*',
  '**',
  'a*b',
  '^tide',
  '+',
  '-',
  '--',
  "'; DROP TABLE files; --",
  '{title}: x',
  'title : tide',
  '🌊',
  '🌊*',
  '潮',
  '潮汐',
  'ti"de',
  '-"tide',
  "tide'",
  '\\',
  '%',
  '_',
  '\u202e',
  'a\u0300',
  'ß',
  'İ',
  '\u200b',
  '<b>',
  '&amp;',
  'col:"x"',
  '"tide" "',
  'x'.repeat(1_999),
  'a '.repeat(32),
  'a '.repeat(33),
  'x'.repeat(10_240),
];

test('S6 hostile queries return hits, no hits, or an invalid-query error; never a store error', async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'unicode') });
  await session.indexed();
  for (const query of HOSTILE_QUERIES) {
    for (const match of ['any', 'all']) {
      const { structured, text } = await session.call('search_text', { query, match });
      if (structured.ok) assert.ok(Number.isInteger(structured.data.total), text);
      else assert.match(structured.error.code, /^(INVALID_QUERY|INVALID_INPUT|LIMIT_EXCEEDED)$/, `${query}: ${text}`);
    }
  }
  for (const limit of [0, -1, 101, 4_097, 1e9, 'ten', '1.5', 1.5, Number.MAX_SAFE_INTEGER, 1e300]) {
    const { structured } = await session.call('search_text', { query: 'a', limit });
    assert.match(structured.error.code, /^(INVALID_INPUT|LIMIT_EXCEEDED)$/, String(limit));
  }
  for (const prefix of ["'", '%', '_', '"', '#', '##', '\\', 'x'.repeat(5_000)]) {
    assert.equal((await session.call('list_tags', { prefix })).isError, false, prefix);
  }
  assert.ok(existsSync(indexFile(session.dataFolder)));
});

test('S3 without native modules it runs on node:sqlite, and with `driver: better-sqlite3` exits 78 with its name', (context) => {
  const folder = temporaryFolder(context);
  cpSync(dirname(PROGRAM), join(folder, 'dist'), { recursive: true });
  const place = ['--vault', copyOfFixture(context, 'tiny'), '--data-dir', temporaryFolder(context)];
  const run = (command: string, driver: string) => {
    const config = join(folder, `${driver}.yaml`);
    writeFileSync(config, `providers: { store: { driver: ${driver} } }\n`);
    const args = [join(folder, 'dist/main.js'), command, '--config', config, ...place];
    return spawnSync(process.execPath, args, { input: '', encoding: 'utf8' });
  };
  assert.equal(run('index', 'auto').status, 0);
  const status = run('status', 'node');
  assert.match(status.stdout, /^ +on node:sqlite$/m, status.stderr);
  const refused = run('serve', 'better-sqlite3');
  assert.equal(refused.status, 78, refused.stderr);
  assert.equal(refused.stdout, '');
  assert.match(refused.stderr, /STORE_UNAVAILABLE.*better-sqlite3/);
});
