// Two and more servers on data folders and copies of the vault of their own share one PostgreSQL store, also with random kills.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom } from '../bench/random.ts';
import { describePostgres } from '../postgresql/describe-postgres.ts';
import { startProxy } from '../postgresql/proxy.ts';
import { until } from '../until.ts';
import { sharePostgres } from './postgresql-servers.ts';
import { ROOT, runProgram, type Session, temporaryFolder } from './session.ts';
import { sharingJourneys } from './sharing-journeys.ts';

const SERVERS = 3;
const DEEDS = 60;
/** More than are placed before the kill. */
const MOVED = 200;
/** Notes that no scan removes at once. */
const GUARDED = 25;
const NOTES = join(ROOT, 'vault-fixtures/tiny');
const WRITABLE = { vault: { access: 'read-write' } };

describePostgres('servers that share a PostgreSQL store', (server) => {
  sharingJourneys('on copies of a vault', (context, setting) => sharePostgres(context, server(), setting));

  test('S7 S10 random kills of servers lose no note, and the index equals one that is built from nothing', async (context) => {
    const random = createSeededRandom(4_242);
    const shared = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE });
    const sessions: Session[] = [];
    for (let at = 0; at < SERVERS; at += 1) sessions.push(await shared.openAt(at));
    const written: string[] = [];
    for (let deed = 0; deed < DEEDS; deed += 1) {
      const at = random.below(SERVERS);
      const session = sessions[at] as Session;
      if (random.below(5) === 0) {
        process.kill(session.processId, 'SIGKILL');
        sessions[at] = await shared.openAt(at);
      } else if (random.below(3) === 0) {
        const { structured, text } = await session.call('search_text', { query: 'quokka' });
        assert.ok(structured.ok || structured.error.code === 'INDEX_BUILDING', text);
      } else {
        const path = `Note ${deed}.md`;
        const content = `quokka word${deed} [[Note ${deed - 1}]] #deed`;
        const { structured, text } = await session.call('create_note', { path, content });
        assert.equal(structured.ok, true, text);
        written.push(path);
      }
    }
    for (const session of sessions)
      await until(async () => {
        const { structured } = await session.call('search_text', { query: 'quokka', limit: 100 });
        return structured.ok && structured.data.total === written.length;
      }, `all ${written.length} notes are found`);
    for (const session of sessions) {
      const { structured } = await session.call('list_changes', { require_fresh: true, limit: 100 });
      const listed = structured.data.changes.map(({ change, path }: { change: string; path: string }) => [
        change,
        path,
      ]);
      assert.deepEqual(listed.sort(), written.map((path) => ['created', path]).sort(), 'changes');
    }
    const exported = await shared.run('export');
    assert.equal(exported.status, 0, exported.stderr);
    for (const session of sessions) await session.close();
    const place = ['--vault', shared.vault, '--data-dir', temporaryFolder(context)];
    const { status, stderr } = runProgram(context, ['index', ...place]);
    assert.equal(status, 0, stderr);
    assert.equal(exported.stdout, runProgram(context, ['export', ...place]).stdout, 'SQLite exports the same');
  });

  test('a copy that differs from what is indexed is named, and no text of it is shown with indexed lines', async (context) => {
    const notes = temporaryFolder(context);
    const texts = {
      'Heron.md': 'The heron waits.\n\nIt stands beside [[Tide pool]] all day.\n\n- [ ] count herons',
      'Tide pool.md': 'Water that stays.',
      'Here and there.md': 'A heron in both copies.',
    };
    for (const [path, text] of Object.entries(texts)) writeFileSync(join(notes, path), text);
    const shared = await sharePostgres(context, server(), { notes, config: WRITABLE, isSynced: false });
    const leader = await shared.openAt(0);
    await until(
      async () => (await leader.call('search_text', { query: 'heron' })).structured.data?.total === 2,
      'indexed',
    );
    const other = shared.place(1).vault;
    writeFileSync(
      join(other, 'Heron.md'),
      'SECOND TEXT of another copy.\n\nSECOND TEXT again, and [[Tide pool]].\n\n- [ ] SECOND TEXT',
    );
    const follower = await shared.openAt(1);
    const found = await follower.call('search_text', { query: 'heron' });
    assert.equal(found.structured.data.total, 2, found.text);
    const calls = [
      found,
      await follower.call('get_neighbors', { note: 'Tide pool' }),
      await follower.call('list_tasks', {}),
      await follower.call('get_context', { topic: 'heron' }),
    ];
    for (const { structured, text } of calls) {
      assert.equal(structured.ok, true, text);
      assert.match(text, /DIFFERS_HERE|differs_here: Heron\.md/, text);
      assert.ok(!text.includes('SECOND TEXT'), text);
    }
    assert.doesNotMatch(found.text, /differs_here: [^:]*Here and there/);
    const read = await follower.call('read_notes', { notes: ['Heron', 'Here and there'] });
    const [heron, same] = read.structured.data.succeeded;
    assert.deepEqual([heron.result.differs_here, same.result.differs_here], [true, undefined], read.text);
    assert.match(heron.result.content, /SECOND TEXT/);
    rmSync(join(other, 'Here and there.md'));
    const lacking = await follower.call('search_text', { query: 'heron' });
    assert.match(
      lacking.text,
      /differs_here: (Heron\.md, Here and there\.md|Here and there\.md, Heron\.md)/,
      lacking.text,
    );
    const absent = await follower.call('read_notes', { notes: ['Here and there'] });
    assert.match(absent.text, /sync the copies/, absent.text);
    assert.doesNotMatch(absent.text, /removes it from the index/);
    const atLeader = await leader.call('search_text', { query: 'heron' });
    assert.doesNotMatch(atLeader.text, /differs_here/i);
    assert.match(atLeader.text, /waits/);
  });

  test('a change is undone on the machine that made it; another one names that machine, and not for an undone change', async (context) => {
    const shared = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE });
    const [maker, other] = [await shared.open(), await shared.open()];
    const created = await maker.call('create_note', { path: 'Made.md', content: 'quokka' });
    const change = { change_id: created.structured.data.change_id as string };
    const refused = (await other.call('undo_change', change)).structured;
    assert.equal(refused.error?.code, 'CHANGE_NOT_FOUND', JSON.stringify(refused));
    assert.ok(refused.error.hint.includes(JSON.stringify(hostname())), refused.error.hint);
    const unknown = (await other.call('undo_change', { change_id: 'chg_000000000_000000' })).structured;
    assert.ok(!unknown.error.hint.includes(hostname()), unknown.error.hint);
    const { structured, text } = await maker.call('undo_change', change);
    assert.equal(structured.ok, true, text);
    const undone = (await other.call('undo_change', change)).structured;
    assert.equal(undone.error.code, 'CHANGE_NOT_FOUND');
    assert.ok(!undone.error.hint.includes(hostname()), undone.error.hint);
    const undo = { change_id: structured.data.change_id as string };
    assert.ok((await other.call('undo_change', undo)).structured.error.hint.includes(hostname()), 'an undo too');
  });

  test('a change that a kill interrupted is completed under the lock of all machines, and then known by its machine', async (context) => {
    const notes = temporaryFolder(context);
    mkdirSync(join(notes, 'Log'));
    for (let note = 0; note < MOVED; note += 1) writeFileSync(join(notes, `Log/Day ${note}.md`), 'tide');
    const shared = await sharePostgres(context, server(), { notes, config: WRITABLE, isSynced: false });
    const sql = (text: string) => server().sql(text, shared.database);
    const kill = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'kill-in-change.ts')}` };
    const killed = await shared.openAt(0, kill);
    await killed.indexed();
    await assert.rejects(killed.call('move_note', { note: 'Log/', to: 'Diary', confirm: true }));
    await sql(`UPDATE vault.write_lock SET holder = 'elsewhere', expires_at = now() + interval '1 hour'`);
    const log = join(shared.place(0).vault, 'Log');
    assert.ok(existsSync(log), 'it was killed on the way');
    const next = await shared.openAt(0);
    const refused = await next.call('create_note', { path: 'Other.md', content: 'ebb' });
    assert.equal(refused.structured.error?.code, 'STORE_BUSY', refused.text);
    assert.ok(existsSync(log), 'nothing is completed while another machine writes');
    const { recovery } = (await next.call('status')).structured.data;
    assert.deepEqual([recovery.recovered, recovery.unfinished.length, recovery.error], [[], 1, undefined]);
    await sql(`UPDATE vault.write_lock SET expires_at = now()`);
    await until(async () => !existsSync(log), 'it is completed');
    const made = () => sql('SELECT id, machine FROM vault.changes');
    await until(async () => (await made()).length > 0, 'it is recorded');
    assert.deepEqual(await made(), [{ id: recovery.unfinished[0], machine: hostname() }]);
  });

  test('a server of another vault with the same schema leaves the index alone and names the key', async (context) => {
    const notes = temporaryFolder(context);
    const fill = (folder: string, name: string) => {
      for (let note = 0; note < GUARDED; note += 1) writeFileSync(join(folder, `${name} ${note}.md`), `${name} quokka`);
    };
    fill(notes, 'Mine');
    const shared = await sharePostgres(context, server(), { notes, config: WRITABLE, isSynced: false });
    const first = await shared.openAt(0);
    assert.equal((await first.indexed())?.state, 'succeeded');
    await first.close();
    const { vault } = shared.place(1);
    for (const name of readdirSync(vault)) rmSync(join(vault, name));
    fill(vault, 'Theirs');
    const other = await shared.openAt(1);
    const indexOf = async () => (await other.call('status')).structured.data.index;
    await until(async () => (await indexOf()).last_error?.code === 'MASS_DELETE_BLOCKED', 'it is refused');
    assert.match((await indexOf()).last_error.hint, /`providers\.store\.schema`/);
    const asked = async (session: Session) =>
      (await session.call('search_text', { query: 'quokka', limit: 100 })).structured;
    assert.equal((await asked(other)).error?.code, 'MASS_DELETE_BLOCKED');
    await other.close();
    const own = await shared.openAt(0);
    const found = await own.call('search_text', { query: 'quokka', limit: 100 });
    assert.equal(found.structured.data.total, GUARDED, found.text);
    assert.doesNotMatch(found.text, /Theirs/);
    const follower = await shared.openAt(1);
    await until(
      async () => (await asked(follower)).error?.code === 'MASS_DELETE_BLOCKED',
      'one that follows refuses, too',
    );
    assert.equal((await asked(own)).data.total, GUARDED, 'and the index is left alone');
  });

  test('a server that begins with nothing says that it copies the index, and then leads without a failed job', async (context) => {
    const proxy = await startProxy(server());
    context.after(() => proxy.close());
    const far = { host: proxy.host, port: proxy.port };
    const shared = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE }, far);
    const first = await shared.open();
    await until(
      async () => (await first.call('search_text', { query: 'barometer' })).structured.data?.total === 1,
      'found',
    );
    await first.close();
    // To connect and to copy takes several round trips, which is longer than a call waits.
    proxy.delay({ toServer: 300, toClient: 300 });
    const second = await shared.open();
    await until(async () => {
      const { index } = (await second.call('status')).structured.data;
      assert.ok([undefined, 'NOT_READY'].includes(index?.last_error?.code), JSON.stringify(index));
      return index?.running !== undefined;
    }, 'its job has begun');
    const waiting = await second.call('search_text', { query: 'barometer' });
    const isWaiting = ['NOT_READY', 'INDEX_BUILDING'].includes(waiting.structured.error?.code);
    assert.ok(waiting.structured.ok || isWaiting, waiting.text);
    proxy.delay({ toServer: 0, toClient: 0 });
    await until(async () => {
      const { index } = (await second.call('status')).structured.data;
      assert.ok([undefined, 'NOT_READY'].includes(index?.last_error?.code), JSON.stringify(index));
      return index?.freshness === 'fresh' && index.running === undefined;
    }, 'it has caught up');
    assert.equal((await second.call('search_text', { query: 'barometer' })).structured.data.total, 1);
  });

  test('the database server may be killed and restarted: calls fail with a code meanwhile, and succeed afterwards', async (context) => {
    const shared = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE });
    const [leader, follower] = [await shared.open(), await shared.open()];
    const names = await follower.toolNames();
    for (const session of [leader, follower])
      await until(async () => (await session.call('search_text', { query: 'barometer' })).structured.ok, 'it answers');
    await server().kill('SIGKILL');
    for (const session of [leader, follower]) {
      const { structured } = await session.call('search_text', { query: 'barometer' });
      assert.equal(structured.error?.code, 'STORE_UNAVAILABLE', JSON.stringify(structured));
      assert.match(JSON.stringify(structured.error), /providers\.store/);
    }
    const late = await shared.open();
    assert.deepEqual([await follower.toolNames(), await late.toolNames()], [names, names], 'the tools stay listed');
    const { structured } = await late.call('status');
    assert.equal(structured.ok, true, 'status answers without the store');
    await server().restart();
    for (const session of [leader, follower, late])
      await until(
        async () => (await session.call('search_text', { query: 'barometer' })).structured.data?.total === 1,
        'it answers again without a restart',
      );
    const { structured: created } = await late.call('create_note', { path: 'After.md', content: 'wolverine' });
    assert.equal(created.ok, true);
    await until(
      async () => (await leader.call('search_text', { query: 'wolverine' })).structured.data?.total === 1,
      'found',
    );
  });

  test('a wrong password is reported everywhere and shown nowhere', async (context) => {
    const secret = 'wrong/secret?4711';
    const wrong = await sharePostgres(context, server(), { notes: NOTES, config: WRITABLE }, { password: secret });
    const session = await wrong.open();
    assert.ok((await session.toolNames()).includes('search_text'), 'the tools stay listed');
    const search = await session.call('search_text', { query: 'tide' });
    assert.equal(search.structured.error.code, 'STORE_UNAVAILABLE');
    assert.match(search.text, /providers\.store\.password/);
    const outputs = [search.text, (await session.call('status')).text];
    await session.close();
    for (const args of [
      ['status', '--json'],
      ['doctor', '--json'],
      ['doctor'],
      ['index'],
      ['config'],
      ['config', '--json'],
    ]) {
      const { stdout, stderr } = await wrong.run(...args);
      outputs.push(stdout, stderr);
    }
    outputs.push(session.stderr());
    assert.ok(outputs.some((output) => output.includes('providers.store.password')));
    for (const output of outputs)
      for (const shown of [secret, encodeURIComponent(secret), server().password])
        assert.ok(!output.includes(shown), `the password is in: ${output}`);
    const config = readFileSync(wrong.config, 'utf8');
    assert.ok(config.includes(secret), 'the config has it');
  });
});
