// S9–S11: several servers on one index: who leads, who follows, and what a kill, a stop or another command does.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, ROOT, type Session, temporaryFolder } from './session.ts';

const TAKEOVER_MS = 15_000;
/** Allows for other tests on the same machine. */
const PATIENCE_MS = 240_000;

/** Servers that share one index. */
export interface SharedIndex {
  /** Those of the first server. */
  readonly vault: string;
  readonly dataFolder: string;
  /** Whether each server has a copy of the vault. They are kept equal, but it takes a moment. */
  readonly hasCopies: boolean;
  /** Starts the next server. */
  open(): Promise<Session>;
  /** A command that runs next to the servers, in the place of the first one. */
  run(...args: string[]): Promise<Ended>;
  /** How often the lease was taken. */
  token(): Promise<number>;
  /** Changes with every change of the index and its lease. */
  fingerprint(): Promise<unknown>;
}

export interface SharedSetting {
  /** The notes to begin with. */
  readonly notes: string;
  /** Keys of the config besides the store. */
  readonly config: Readonly<Record<string, unknown>>;
}

export type ShareIndex = (context: TestContext, setting: SharedSetting) => Promise<SharedIndex>;

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
const indexOf = async (session: Session): Promise<any> => (await session.call('status')).structured.data.index;

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const began = performance.now(); performance.now() - began < PATIENCE_MS; await sleep(50))
    if (await isSo()) return;
  assert.fail(`never happened: ${what}`);
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
const hasScanned = ({ role, freshness, running }: any): boolean =>
  role === 'leader' && freshness === 'fresh' && running === undefined;

const leads = async (session: Session): Promise<boolean> => (await indexOf(session)).role === 'leader';

/** Starts the servers one after the other; the first one leads and has finished its startup scan. */
async function servers(count: number, { open }: SharedIndex): Promise<[Session, ...Session[]]> {
  const first = await open();
  await until(async () => hasScanned(await indexOf(first)), 'the first one leads and has scanned');
  const others: Session[] = [];
  for (let at = 1; at < count; at += 1) others.push(await open());
  for (const other of others) await until(async () => (await indexOf(other)).holder !== undefined, 'it follows');
  return [first, ...others];
}

async function write({ hasCopies }: SharedIndex, session: Session, path: string, content: string): Promise<void> {
  const { structured, text } = await session.call('create_note', { path, content });
  assert.equal(structured.ok, true, text);
  // A new leader first compares the vault with the index, and file events may arrive late. The leader's copy may lack the note.
  if (!hasCopies) assert.doesNotMatch(text, /not in the index yet/);
}

async function finds(session: Session, word: string): Promise<number> {
  const { structured, text } = await session.call('search_text', { query: word });
  assert.equal(structured.ok, true, text);
  return structured.data.total;
}

/** What one server wrote is found by all at once, or as soon as the leader's copy of the vault has it. */
async function findsOne({ hasCopies }: SharedIndex, session: Session, word: string): Promise<void> {
  if (hasCopies) await until(async () => (await finds(session, word)) === 1, `${word} is found`);
  else assert.equal(await finds(session, word), 1, word);
}

/** @param share a new index */
export function sharingJourneys(name: string, share: ShareIndex): void {
  const writable = (context: TestContext): Promise<SharedIndex> =>
    share(context, { notes: join(ROOT, 'vault-fixtures/tiny'), config: { vault: { access: 'read-write' } } });

  describe(name, () => {
    test("S9 two servers on one vault both answer, one leads, and reindex on the other is refused with the leader's name", async (context) => {
      const shared = await writable(context);
      const [leader, follower] = await servers(2, shared);
      assert.ok(follower);
      const [own, other] = [
        await leader.call('search_text', { query: 'barometer' }),
        await follower.call('search_text', { query: 'barometer' }),
      ];
      assert.deepEqual(own.structured.data, other.structured.data);
      assert.deepEqual([own.structured.meta?.index, other.structured.meta.index.writer], [undefined, 'other']);
      assert.equal((await indexOf(follower)).holder.pid, leader.processId);
      const refused = await follower.call('reindex');
      const { code, details } = refused.structured.error;
      assert.deepEqual([refused.isError, code, details.holder.pid], [true, 'INDEX_CONFLICT', leader.processId]);
      assert.equal(typeof details.holder.heartbeat_age_ms, 'number');
      await write(shared, follower, 'From a follower.md', 'wolverine [[Harbour]]');
      for (const session of [follower, leader]) await findsOne(shared, session, 'wolverine');
      await write(shared, leader, 'From the leader.md', 'pangolin');
      await findsOne(shared, follower, 'pangolin');
      const moved = await follower.call('move_note', { note: 'From a follower.md', to: 'Moved.md' });
      assert.equal(moved.structured.ok, true, moved.text);
      const isMoved = async () => (await leader.call('read_notes', { notes: ['Moved.md'] })).structured.ok;
      if (shared.hasCopies) await until(isMoved, 'the copy of the leader has it');
      else assert.equal(await isMoved(), true);
      writeFileSync(join(shared.vault, 'By hand.md'), 'axolotl');
      await until(async () => (await finds(follower, 'axolotl')) === 1, 'an external save is seen');
    });

    test('S9 S13 another process can follow a job of the leader; the error for an unknown id lists the recent jobs', async (context) => {
      const [leader, follower] = await servers(2, await writable(context));
      assert.ok(follower);
      const { job_id: id } = (await leader.call('reindex', { rebuild: true, confirm: true, wait_ms: 0 })).structured
        .data;
      const followed = (await follower.call('reindex', { job_id: id, wait_ms: 30_000 })).structured.data;
      assert.deepEqual([followed.job_id, followed.state, followed.counts.indexed], [id, 'succeeded', 12]);
      const unknown = (await follower.call('reindex', { job_id: 'job_none' })).structured.error;
      assert.deepEqual([unknown.code, unknown.details.recent.includes(id)], ['JOB_NOT_FOUND', true]);
    });

    test('S13 while the leader builds the first index, a follower answers from what is indexed or reports who builds it', async (context) => {
      const notes = temporaryFolder(context);
      for (let n = 0; n < 3_000; n += 1)
        writeFileSync(join(notes, `Note ${n}.md`), `[[Note ${n + 1}]] word${n} `.repeat(200));
      const { open } = await share(context, { notes, config: { limits: { call: 6_000 } } });
      const leader = await open();
      await until(async () => (await indexOf(leader)).running !== undefined, 'it builds');
      const follower = await open();
      await until(async () => (await indexOf(follower)).running !== undefined, 'the follower sees the job');
      const building = await indexOf(follower);
      assert.equal(building.complete, false, 'the build is over too soon for this test');
      assert.equal(building.holder.pid, leader.processId);
      const hubs = (await follower.call('get_hubs')).structured;
      const job = (await indexOf(leader)).running;
      if (job !== undefined) assert.deepEqual([hubs.error.code, hubs.error.details.job_id], ['INDEX_BUILDING', job]);
      const part = (await follower.call('search_text', { query: 'word1' })).structured;
      assert.ok(
        part.ok ? part.partial || part.data.total === 1 : part.error.code === 'INDEX_BUILDING',
        JSON.stringify(part),
      );
      await until(async () => (await indexOf(follower)).complete, 'it is built');
      assert.equal((await follower.call('get_hubs')).structured.ok, true);
      assert.equal(await finds(follower, 'word2999'), 1);
    });

    test('S10 a killed leader is replaced once, by one of two followers, and changes made meanwhile are indexed', async (context) => {
      const shared = await writable(context);
      const [leader, ...followers] = await servers(3, shared);
      const [one, other] = followers as [Session, Session];
      const token = await shared.token();
      process.kill(leader.processId, 'SIGKILL');
      await Promise.all([write(shared, one, 'One.md', 'wolverine'), write(shared, other, 'Other.md', 'pangolin')]);
      for (const session of followers)
        for (const word of ['wolverine', 'pangolin']) await findsOne(shared, session, word);
      await until(async () => (await leads(one)) !== (await leads(other)), 'one of them leads');
      await sleep(2_000);
      assert.equal(await shared.token(), token + 1, 'one takeover');
      const counters = await Promise.all(
        followers.map(async (one) => (await one.call('status')).structured.data.counters),
      );
      assert.deepEqual(counters.map((each) => each.lease_takeovers ?? 0).toSorted(), [0, 1]);
    });

    test('S10 a leader stopped for twice the takeover time is replaced once; when resumed it follows, and its writes are refused', async (context) => {
      const shared = await writable(context);
      const [leader, follower] = await servers(2, shared);
      assert.ok(follower);
      const token = await shared.token();
      process.kill(leader.processId, 'SIGSTOP');
      const stoppedAt = performance.now();
      try {
        assert.equal(await finds(follower, 'barometer'), 1, 'reading continues');
        await until(() => leads(follower), 'the follower leads');
        assert.ok(performance.now() - stoppedAt > TAKEOVER_MS / 2, 'not too early');
        await write(shared, follower, 'Meanwhile.md', 'wolverine');
        await sleep(TAKEOVER_MS);
      } finally {
        process.kill(leader.processId, 'SIGCONT');
      }
      await until(async () => (await indexOf(leader)).role === 'follower', 'the old leader follows');
      assert.equal(await shared.token(), token + 1);
      await findsOne(shared, leader, 'wolverine');
      const refused = (await leader.call('reindex')).structured.error;
      assert.deepEqual([refused.code, refused.details.holder.pid], ['INDEX_CONFLICT', follower.processId]);
      await write(shared, leader, 'Afterwards.md', 'pangolin');
      await findsOne(shared, follower, 'pangolin');
      assert.match(leader.stderr(), /"event":"lease_lost"/);
    });

    test('while a server runs, index and rebuild are refused and change nothing; call answers and names the writer', async (context) => {
      const shared = await writable(context);
      const [leader] = await servers(1, shared);
      const token = await shared.token();
      for (const args of [['index'], ['index', '--rebuild'], ['doctor', '--rebuild-index']]) {
        const { status, stderr } = await shared.run(...args);
        assert.equal(status, 1, `${args.join(' ')}: ${stderr}`);
        assert.match(stderr, new RegExp(`Error \\[INDEX_CONFLICT\\]: .*pid ${leader.processId}`));
      }
      const beside = readdirSync(shared.dataFolder, { recursive: true }).filter((name) => `${name}`.includes('aside'));
      assert.deepEqual([beside, await shared.token()], [[], token]);
      const called = await shared.run('call', 'search_text', '{"query":"barometer"}');
      const answer = JSON.parse(called.stdout);
      assert.deepEqual([called.status, answer.ok, answer.meta.index.writer], [0, true, 'other'], called.stderr);
      const created = await shared.run('call', 'create_note', '{"path":"Called.md","content":"wolverine"}');
      assert.equal(created.status, 0, created.stderr);
      await findsOne(shared, leader, 'wolverine');
      const exported = await shared.run('export');
      assert.deepEqual([exported.status, exported.stdout.includes('Called.md')], [0, true], exported.stderr);
      assert.equal(await leads(leader), true);
      assert.equal(await shared.token(), token, 'no process took the lease');
    });

    test('after a leader was killed, index takes the lease at once', async (context) => {
      const shared = await writable(context);
      const [leader] = await servers(1, shared);
      process.kill(leader.processId, 'SIGKILL');
      const { status, stderr } = await shared.run('index');
      assert.equal(status, 0, stderr);
    });

    test('S11 status and doctor take no lease and do not change the index, also after a kill', async (context) => {
      const shared = await writable(context);
      const [leader] = await servers(1, shared);
      await write(shared, leader, 'Last.md', 'wolverine');
      process.kill(leader.processId, 'SIGKILL');
      await sleep(200);
      const before = await shared.fingerprint();
      for (const args of [['status'], ['doctor'], ['changes'], ['status', '--json']]) {
        const { status, stderr } = await shared.run(...args);
        assert.ok(status === 0 || status === 1, `${args.join(' ')}: ${stderr}`);
        assert.deepEqual(await shared.fingerprint(), before, args.join(' '));
      }
    });
  });
}
