// 500 seeded changes by tools and other programs at once, while servers come and go: `list_changes` gives exactly these.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { createSeededRandom, type Random } from '../bench/random.ts';
import { describePostgres } from '../postgresql/describe-postgres.ts';
import { until } from '../until.ts';
import { configFile, openSession, type Session, temporaryFolder } from './session.ts';

const SEED = 20_261_128;
const ROUNDS = 25;
const CHANGES_PER_ROUND = 20;
const NOTES = 300;

interface Note {
  path: string;
  text: string;
}

interface Expected {
  readonly change: string;
  readonly path: string;
  readonly from?: string;
  readonly by: string;
}

const OTHER = 'another program';

class Vault {
  readonly root: string;
  readonly random: Random;
  readonly notes: Note[] = [];
  #made = 0;

  constructor(root: string, random: Random) {
    this.root = root;
    this.random = random;
    for (let at = 0; at < NOTES; at += 1) this.notes.push(this.write(this.fresh(), OTHER));
  }

  fresh(): Note {
    this.#made += 1;
    const words = (): string => Array.from({ length: 6 }, () => this.random.below(1e9).toString(36)).join(' ');
    const lines = Array.from({ length: 8 }, words);
    const path = `F${this.random.below(8)}/Note ${this.#made}.md`;
    return {
      path,
      text: `# Note ${this.#made}\n\n${lines.slice(0, 4).join('\n')}\n\n## Part\n\n${lines.slice(4).join('\n')}\n`,
    };
  }

  write(note: Note, _by: string): Note {
    const file = join(this.root, note.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, note.text);
    return note;
  }

  /** Each note at most once in a round, so that each change is an entry of its own. */
  take(): Note {
    const [note] = this.notes.splice(this.random.below(this.notes.length), 1);
    assert.ok(note);
    return note;
  }
}

/** Makes one change, by a tool where there is a session. */
async function change(vault: Vault, session: Session | undefined, done: Note[]): Promise<Expected> {
  const { random, root } = vault;
  const byTool = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    assert.ok(session);
    const { structured, text } = await session.call(tool, args);
    assert.equal(structured.ok, true, text);
    return structured.data.change_id;
  };
  const at = (path: string): string => join(root, path);
  switch (random.below(4)) {
    case 0: {
      const note = vault.fresh();
      const by = session ? await byTool('create_note', { path: note.path, content: note.text }) : OTHER;
      if (session === undefined) vault.write(note, OTHER);
      done.push({ ...note, text: readFileSync(at(note.path), 'utf8') });
      return { change: 'created', path: note.path, by };
    }
    case 1: {
      const { path, text } = vault.take();
      const line = `added ${random.below(1e9)}`;
      const by = session ? await byTool('edit_note', { note: path, edits: [{ op: 'append', text: line }] }) : OTHER;
      if (session === undefined) writeFileSync(at(path), `${text}${line}\n`);
      done.push({ path, text: readFileSync(at(path), 'utf8') });
      return { change: 'edited', path, by };
    }
    case 2: {
      const { path: from, text } = vault.take();
      const path = `M${random.below(8)}/Moved ${random.below(1e9)}.md`;
      const by = session ? await byTool('move_note', { note: from, to: path, confirm: true }) : OTHER;
      if (session === undefined) {
        mkdirSync(dirname(at(path)), { recursive: true });
        renameSync(at(from), at(path));
        // Some are edited at their new place at once.
        if (random.below(2) === 0) writeFileSync(at(path), `${text}and moved\n`);
      }
      done.push({ path, text: readFileSync(at(path), 'utf8') });
      return { change: 'moved', path, from, by };
    }
    default: {
      const { path } = vault.take();
      const by = session ? await byTool('delete_note', { note: path, confirm: true }) : OTHER;
      if (session === undefined) rmSync(at(path));
      return { change: 'deleted', path, by };
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
type Listed = any;

async function listed(session: Session, since: string): Promise<{ found: Expected[]; position: string }> {
  const found: Expected[] = [];
  let position = '';
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const args = { since, limit: 7, ...(cursor ? { cursor } : { require_fresh: true }) };
    let { structured, text } = await session.call('list_changes', args);
    // On a busy machine the comparison may take longer than a call waits for it.
    while (structured.error?.code === 'INDEX_STALE') ({ structured, text } = await session.call('list_changes', args));
    assert.equal(structured.ok, true, text);
    const { data } = structured as Listed;
    position ||= data.position;
    cursor = data.next_cursor;
    for (const { change, path, from, by } of data.changes as Listed[]) {
      const [who] = by;
      found.push({
        change,
        path,
        ...(from && { from }),
        by: by.length === 1 ? (who.change_id ?? who) : JSON.stringify(by),
      });
    }
  }
  return { found, position };
}

const sorted = (all: readonly Expected[]): string[] => all.map((one) => JSON.stringify(one)).sort();

/** The state of the servers in a round. */
const CREWS = ['one', 'two', 'none', 'restart', 'takeover'] as const;

interface Kept {
  readonly rounds: number;
  /** More of the config. */
  readonly providers?: object;
  /** Of how many data folders the servers use each in turn. */
  readonly machines: number;
}

async function play(context: TestContext, { rounds, providers = {}, machines }: Kept): Promise<void> {
  const random = createSeededRandom(SEED);
  const vault = new Vault(temporaryFolder(context), random);
  const config = configFile(context, JSON.stringify({ vault: { path: vault.root, access: 'read-write' }, providers }));
  const folders = Array.from({ length: machines }, () => temporaryFolder(context));
  let opened = 0;
  const open = (): Promise<Session> => {
    const dataFolder = folders[opened % machines] as string;
    opened += 1;
    return openSession(context, { config, dataFolder });
  };
  let sessions = [await open()];
  await sessions[0]?.indexed();
  let { position } = await listed(sessions[0] as Session, '1h');
  const first = position;
  let count = 0;
  for (let round = 0; round < rounds; round += 1) {
    const crew = CREWS[round % CREWS.length];
    if (crew === 'two' || crew === 'takeover') sessions.push(await open());
    if (crew === 'none') {
      for (const session of sessions) await session.close();
      sessions = [];
    }
    const expected: Expected[] = [];
    const done: Note[] = [];
    for (let at = 0; at < CHANGES_PER_ROUND; at += 1) {
      const isTool = sessions.length > 0 && random.below(2) === 0;
      expected.push(await change(vault, isTool ? sessions[random.below(sessions.length)] : undefined, done));
      // The leader goes in the midst of the changes.
      if (crew === 'takeover' && at === CHANGES_PER_ROUND / 2) await sessions.shift()?.close();
      if (crew === 'restart' && at === CHANGES_PER_ROUND / 2) {
        await sessions.shift()?.close();
        sessions.push(await open());
      }
    }
    if (sessions.length === 0) sessions.push(await open());
    const reader = sessions[random.below(sessions.length)] as Session;
    const { found, position: next } = await listed(reader, position);
    assert.deepEqual(sorted(found), sorted(expected), `round ${round}, ${crew}`);
    count += found.length;
    position = next;
    vault.notes.push(...done);
    while (sessions.length > 1) await sessions.pop()?.close();
  }
  assert.equal(count, rounds * CHANGES_PER_ROUND);
  const { structured } = await (sessions[0] as Session).call('list_changes', { since: position });
  assert.equal(structured.data.total, 0);
  const all = await (sessions[0] as Session).call('list_changes', { since: first, limit: 1 });
  assert.ok(all.structured.data.total > (rounds * CHANGES_PER_ROUND) / 4);
}

test('exactly the changes that were made are listed', (context) => play(context, { rounds: ROUNDS, machines: 1 }));

describePostgres('the feed of changes in PostgreSQL', (server) => {
  test('exactly the changes that were made are listed by servers on two machines', async (context) => {
    const { host, port, user, password } = server();
    const database = await server().freshDatabase();
    const store = { type: 'postgresql', ...{ host, port, user, password, database, tls: 'off' } };
    await play(context, { rounds: CREWS.length, providers: { store }, machines: 2 });
  });

  test('a subscription to the whole vault follows on each machine what either of them does', async (context) => {
    const { host, port, user, password } = server();
    const database = await server().freshDatabase();
    const store = { type: 'postgresql', ...{ host, port, user, password, database, tls: 'off' } };
    const path = temporaryFolder(context);
    const config = configFile(context, JSON.stringify({ vault: { path, access: 'read-write' }, providers: { store } }));
    const sessions: Session[] = [];
    for (let at = 0; at < 2; at += 1) sessions.push(await openSession(context, { config }));
    for (const session of sessions) await session.indexed();
    const heard: number[] = [];
    const countOf = (at: number): number => heard.filter((one) => one === at).length;
    for (const [at, { client }] of sessions.entries()) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => void heard.push(at));
      await client.subscribeResource({ uri: 'notes:///changed' });
    }
    for (const [at, session] of sessions.entries()) {
      const before = sessions.map((_, other) => countOf(other));
      const { structured } = await session.call('create_note', { path: `From ${at}`, content: `text ${at}` });
      assert.equal(structured.ok, true);
      for (const [other, { client }] of sessions.entries()) {
        await until(() => countOf(other) > (before[other] ?? 0), `machine ${other} hears of it`);
        const { contents } = await client.readResource({ uri: 'notes:///changed' });
        const [latest] = JSON.parse((contents[0] as { text: string }).text).changes;
        assert.equal(latest.path, `From ${at}.md`);
        await until(async () => {
          const { structured: listed } = await (sessions[other] as Session).call('list_changes', { limit: 1 });
          return listed.data.changes[0].by[0].change_id === structured.data.change_id;
        }, 'by the tool');
      }
    }
  });
});
