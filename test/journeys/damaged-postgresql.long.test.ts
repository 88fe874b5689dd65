// Living servers on a PostgreSQL index that is damaged, dumped, dropped, restored or emptied: no answer is of what is lost, and all are right again.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { describePostgres } from '../postgresql/describe-postgres.ts';
import { until } from '../until.ts';
import { type PostgresServers, sharePostgres } from './postgresql-servers.ts';
import { runProgram, type Session, temporaryFolder } from './session.ts';

const NOTES = 30;
const CHANGED = 10;
const TABLES = [
  'answers',
  'embedded',
  'files',
  'generations',
  'head',
  'histories',
  'jobs',
  'lease',
  'quarantine',
  'requests',
];
const TOOLS: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ['search_text', { query: 'wombat' }],
  ['list_notes', {}],
  ['list_tags', {}],
  ['get_neighbors', { note: 'Note 1' }],
  ['resolve_names', { names: ['Note 1'] }],
  ['find_gaps', { kind: 'orphans' }],
];

function write({ place }: PostgresServers, word: string, count: number): void {
  for (const at of [0, 1])
    for (let note = 0; note < count; note += 1)
      writeFileSync(join(place(at).vault, `Note ${note}.md`), `${word} ${note} [[Note ${note + 1}]] #${word}`);
}

/** What tools that read different tables say of the same notes; or codes. */
/** Twice the same: the index may change between two calls. */
async function totals(session: Session, more: Record<string, unknown> = {}): Promise<string> {
  for (let before = ''; ; ) {
    const now = await totalsOnce(session, more);
    if (now === before || REFUSALS.test(now)) return now;
    before = now;
  }
}

async function totalsOnce(session: Session, more: Record<string, unknown> = {}): Promise<string> {
  const answers = [
    await session.call('search_text', { query: 'wombat', limit: 100, ...more }),
    await session.call('search_text', { query: 'quokka', limit: 100, ...more }),
    await session.call('list_tags', more),
  ];
  const codes = answers.flatMap(({ structured }) => structured.error?.code ?? []);
  if (codes.length > 0) return codes.join(' ');
  if (answers.some(({ structured }) => structured.partial)) return 'INDEX_BUILDING';
  const [wombat, quokka, tags] = answers.map(({ structured }) => structured.data);
  const counted = tags.tags.map((tag: string) => tag.replace(' ', ':')).toSorted();
  return `${wombat.total} ${quokka.total} ${counted.join(',')}`;
}

const state = (wombats: number): string =>
  [
    `${wombats} ${NOTES - wombats}`,
    [`#quokka:${NOTES - wombats}`, ...(wombats > 0 ? [`#wombat:${wombats}`] : [])].join(','),
  ].join(' ');

const REFUSALS =
  /^(?:(?:STORE_CORRUPT|STORE_UNAVAILABLE|NOT_READY|INDEX_BUILDING|INDEX_STALE|INDEX_EMPTY|STORE_BUSY|INDEX_CONFLICT) ?)+$/;

describePostgres('living servers on a PostgreSQL index', (server) => {
  /** Two servers on two machines that have 10 changed notes, and a dump of before. */
  const setUp = async (context: TestContext) => {
    const shared = await sharePostgres(context, server(), { notes: temporaryFolder(context), config: {} });
    write(shared, 'quokka', NOTES);
    const sessions = [await shared.open()];
    await sessions[0]?.indexed();
    sessions.push(await shared.open());
    for (const each of sessions) await until(async () => (await totals(each)) === state(0), 'indexed');
    const dump = join(temporaryFolder(context), 'dump');
    const tool = (...args: string[]): void => {
      const { host, port, user, password } = server();
      const { status, stderr } = spawnSync(
        args[0] ?? '',
        ['-h', host, '-p', String(port), '-U', user, ...args.slice(1)],
        {
          env: { PATH: process.env.PATH, PGPASSWORD: password },
          encoding: 'utf8',
        },
      );
      assert.equal(status, 0, stderr);
    };
    tool('pg_dump', '-Fc', '-f', dump, shared.database);
    write(shared, 'wombat', CHANGED);
    for (const each of sessions) await until(async () => (await totals(each)) === state(CHANGED), 'changed');
    return { shared, sessions, dump, tool };
  };

  /** Until all are right twice; no answer is of another state than those. */
  const settle = async (sessions: readonly Session[], allowed: readonly string[], since: string): Promise<void> => {
    const right = new Set<Session>();
    await until(async () => {
      for (const each of sessions) {
        const fresh = await totals(each, { require_fresh: true });
        assert.ok(fresh === state(CHANGED) || REFUSALS.test(fresh), `${since}, fresh: ${fresh}`);
        const found = await totals(each);
        assert.ok(allowed.includes(found) || REFUSALS.test(found), `${since}: ${found}`);
        if (found === state(CHANGED) && fresh === found) right.add(each);
      }
      return right.size === sessions.length;
    }, `${since}: all are right again`);
  };

  test('a damaged content: one that needs it says so, the server that leads begins again, and all are right', async (context) => {
    const { shared, sessions } = await setUp(context);
    await server().sql(
      `UPDATE vault.files SET content = set_byte(content, 40, 1) WHERE path = 'Note 3.md'`,
      shared.database,
    );
    const late = await shared.open();
    await settle([...sessions, late], [state(CHANGED)], 'after damage');
    assert.match(`${sessions.map((one) => one.stderr())}${late.stderr()}`, /"index_damaged".*STORE_CORRUPT/);
    await server().sql(`DELETE FROM vault.files WHERE path = 'Note 5.md'`, shared.database);
    const { vault, dataFolder } = shared.place(3);
    const later = await shared.open();
    await until(async () => (await totals(later)).startsWith('STORE_CORRUPT'), 'it is found');
    for (const session of [later, ...sessions]) {
      for (const [tool, given] of TOOLS) {
        const { error } = (await session.call(tool, given)).structured;
        assert.equal(error?.code, 'STORE_CORRUPT', tool);
        assert.match(error.hint, /less than an hour ago.*doctor --rebuild-index/);
      }
      const { warnings } = (await session.call('status')).structured;
      assert.equal(warnings.at(-1)?.code, 'INDEX_DAMAGED');
    }
    for (const session of [...sessions, late, later]) {
      await session.close();
      assert.doesNotMatch(session.stderr(), /INTERNAL/);
    }
    const run = (...args: string[]) =>
      runProgram(context, [...args, '--vault', vault, '--data-dir', dataFolder, '--config', shared.config]);
    const refused = run('call', 'list_notes', '{}');
    assert.notEqual(refused.status, 0);
    assert.match(refused.stdout, /STORE_CORRUPT.*schema \\"vault\\".*doctor --rebuild-index/s);
    assert.match(run('doctor').stdout, /is damaged|STORE_CORRUPT/);
    const healed = run('doctor', '--rebuild-index');
    assert.ok(healed.status === 0 || healed.status === 1, healed.stdout + healed.stderr);
    assert.match(run('call', 'list_notes', '{}').stdout, new RegExp(`"total": ?${NOTES}`));
  });

  test('dropped and restored to an earlier point by pg_restore: no answer is of the lost history', async (context) => {
    const { shared, sessions, dump, tool } = await setUp(context);
    tool('pg_restore', '--clean', '--if-exists', '-d', shared.database, dump);
    await settle(sessions, [state(CHANGED), state(0)], 'after pg_restore --clean');
    await server().sql('DROP SCHEMA vault CASCADE', shared.database);
    for (const each of sessions) await until(async () => /STORE_UNAVAILABLE/.test(await totals(each)), 'it is noticed');
    tool('pg_restore', '-1', '-d', shared.database, dump);
    await settle(sessions, [state(CHANGED), state(0)], 'after DROP SCHEMA and pg_restore');
    for (const session of sessions) assert.doesNotMatch(session.stderr(), /INTERNAL/);
  });

  test('emptied tables, and a schema made again, are filled again by the servers that live', async (context) => {
    const { shared, sessions } = await setUp(context);
    await server().sql(`TRUNCATE ${TABLES.map((name) => `vault.${name}`).join(', ')}`, shared.database);
    await settle(sessions, [state(CHANGED)], 'after TRUNCATE');
    await server().sql('DROP SCHEMA vault CASCADE; CREATE SCHEMA vault', shared.database);
    await settle(sessions, [state(CHANGED)], 'after DROP SCHEMA and CREATE SCHEMA');
    await server().sql('TRUNCATE vault.files', shared.database);
    await settle(sessions, [state(CHANGED)], 'after TRUNCATE of the files alone');
    for (const session of sessions) assert.doesNotMatch(session.stderr(), /INTERNAL/);
  });
});
