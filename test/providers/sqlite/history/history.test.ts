// The kept history by itself: a damaged file never gives a wrong text, its bounds hold, and two processes can write it.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { NEVER } from '../../../../src/base/async/waits.ts';
import { contentHash } from '../../../../src/base/content-hash.ts';
import type { NotePath } from '../../../../src/base/note.ts';
import { outcomeOf } from '../../../../src/base/outcome.ts';
import type { TextHistory } from '../../../../src/contracts/feed.ts';
import { createHistory } from '../../../../src/providers/sqlite/history/kept-history.ts';
import { runs } from '../../../runner/effort.ts';

const MIB = 1024 * 1024;
let folder = '';
let opened: TextHistory[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vaultgraph-history-'));
});
afterEach(async () => {
  await Promise.all(opened.map((history) => history.close()));
  opened = [];
  rmSync(folder, { recursive: true });
});

const file = (): string => join(folder, 'history.db');

function open({ days = 365, bytes = 64 * MIB } = {}): TextHistory {
  const history = createHistory({ file: file(), days, bytes }, () => undefined);
  opened.push(history);
  return history;
}

const noteAt = (path: string) => path as NotePath;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const keep = (history: TextHistory, path: string, text: string, isLate = false) =>
  history.keep([{ path: noteAt(path), bytes: bytesOf(text), modifiedMs: 0, isLate }]);

async function textOf(history: TextHistory, path: string, at: number | string): Promise<string> {
  const moment = typeof at === 'number' ? { beforeMs: at + 1 } : { revision: at };
  const found = await outcomeOf(history.earlier(noteAt(path), moment, undefined, NEVER));
  if ('value' in found) return new TextDecoder().decode(found.value.bytes);
  const { code, details } = found.error;
  return code === 'EARLIER_TEXT_MISSING' ? `(${(details as { reason: string }).reason})` : `(${code})`;
}

interface Kept {
  readonly path: string;
  readonly text: string;
  readonly since: number;
  readonly until: number;
}

/** Notes with several texts each, also the same ones, as the file has them. */
async function written(history: TextHistory): Promise<readonly Kept[]> {
  const texts = new Map<string, string>();
  for (let round = 0; round < 6; round += 1)
    for (let at = 0; at < 8; at += 1) {
      const text = `# Note ${at % 3}\n${`Line ${round} of ${at}.\n`.repeat(1 + ((at * 37 + round * 11) % 60))}`;
      texts.set(contentHash(bytesOf(text)), text);
      await keep(history, `N${at}.md`, text);
    }
  await history.leave([noteAt('N1.md'), noteAt('N2.md')]);
  await history.close();
  const database = new Database(file());
  database.pragma('wal_checkpoint(TRUNCATE)');
  const rows = database.prepare('SELECT path, since, until, hash FROM versions').all() as {
    path: string;
    since: number;
    until: number | null;
    hash: string;
  }[];
  database.close();
  return rows.map(({ path, since, until, hash }) => ({
    ...{ path, since, until: until ?? Number.POSITIVE_INFINITY },
    text: texts.get(hash) ?? '',
  }));
}

const seeded = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

describe('the kept history', () => {
  it('gives of a damaged file the text that was kept, or none, and never another one', async () => {
    const kept = await written(open());
    const whole = readFileSync(file());
    const history = open();
    let damaged = 0;
    for (let run = 0; run < runs(200); run += 1) {
      const random = seeded(run + 1);
      const bytes = Buffer.from(whole);
      for (let flips = 1 + Math.floor(random() * 6); flips > 0; flips -= 1) {
        const at = Math.floor(random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      }
      writeFileSync(file(), bytes);
      for (const { path, since, until, text } of kept) {
        const time = since + Math.floor((Math.min(until, since + 1_000) - 1 - since) * random());
        for (const at of [time, contentHash(bytesOf(text)).slice(0, 12)]) {
          const found = await textOf(history, path, at);
          if (found !== text) damaged += 1;
          assert.ok(
            found === text || /^\((?:damaged|not_kept|deleted|STORE_\w+)\)$/.test(found),
            `run ${run}: ${found}`,
          );
        }
      }
    }
    assert.ok(damaged > 0);
  });

  it('begins a new file in place of one that it cannot write', async () => {
    const history = open();
    await keep(history, 'A.md', 'one');
    await history.close();
    writeFileSync(file(), Buffer.alloc(8_192, 7));
    const next = open();
    assert.equal(await textOf(next, 'A.md', Date.now()), '(damaged)');
    await keep(next, 'A.md', 'two');
    assert.equal(await textOf(next, 'A.md', Date.now()), 'two');
    assert.ok(next.hadDamage() && existsSync(`${file()}.damaged`));
  });

  it('stays within its bytes: texts that were replaced go first, the oldest before the others', async () => {
    const history = open({ bytes: MIB });
    await keep(history, 'Still.md', 'unchanged');
    // Hardly compressible.
    const random = seeded(7);
    const noise = (at: number): string =>
      `${at}\n${Array.from({ length: 20_000 }, () => Math.floor(random() * 36).toString(36)).join('')}`;
    const texts = Array.from({ length: 150 }, (_, at) => noise(at));
    for (const text of texts) await keep(history, 'Log.md', text);
    const hash = (at: number): string => contentHash(bytesOf(texts[at] ?? ''));
    assert.equal(await textOf(history, 'Log.md', hash(0)), '(not_kept)');
    assert.equal(await textOf(history, 'Log.md', hash(148)), texts[148]);
    assert.equal(await textOf(history, 'Still.md', Date.now()), 'unchanged');
    const state = await history.state(NEVER);
    assert.ok(state !== undefined && state.bytes <= MIB && state.since > 0);
    assert.ok(statSync(file()).size < 3 * MIB);
  });

  it('finds the newest texts that it missed, and what it has of notes that are gone ends; what was between is not known', async () => {
    const history = open();
    await keep(history, 'A.md', 'one');
    await keep(history, 'B.md', 'two');
    await keep(history, 'C.md', 'three');
    const before = Date.now();
    await new Promise((done) => setTimeout(done, 20));
    const newest = (path: string, text: string) => ({
      path: noteAt(path),
      hash: contentHash(bytesOf(text)),
      sizeBytes: text.length,
    });
    const missing = await history.compare(
      async () => [newest('A.md', 'one'), newest('B.md', 'other'), newest('D.md', 'new')],
      NEVER,
    );
    assert.deepEqual(missing, ['B.md', 'D.md']);
    assert.equal(await textOf(history, 'B.md', Date.now()), '(not_kept)');
    assert.equal(await textOf(history, 'C.md', Date.now()), '(deleted)');
    // Meanwhile the note has changed again, and is kept by an index job.
    await keep(history, 'D.md', 'newest');
    await keep(history, 'D.md', 'new', true);
    await keep(history, 'B.md', 'other', true);
    assert.equal(await textOf(history, 'D.md', Date.now()), 'newest');
    assert.equal(await textOf(history, 'B.md', Date.now()), 'other');
    assert.equal(await textOf(history, 'A.md', before), 'one');
    assert.deepEqual(await history.compare(async () => [newest('A.md', 'one')], NEVER), []);
  });

  it('is written by two processes at once, each text once', async () => {
    const both = [open(), open()] as const;
    await Promise.all(
      both.flatMap((history) => Array.from({ length: 30 }, (_, at) => keep(history, 'A.md', `text ${at}`))),
    );
    assert.equal(await textOf(both[0], 'A.md', contentHash(bytesOf('text 17'))), 'text 17');
    const state = await both[1].state(NEVER);
    assert.equal(state?.texts, 30);
  });

  it('an older copy of its file under a living process makes a gap, and never gives an earlier text as a later one', async () => {
    const history = open();
    const compare = async (text: string): Promise<void> => {
      const newest = [{ path: noteAt('N.md'), hash: contentHash(bytesOf(text)), sizeBytes: text.length }];
      for (const path of await history.compare(async () => newest, NEVER)) await keep(history, path, text, true);
      history.filled();
    };
    await keep(history, 'N.md', 'first');
    await compare('first');
    const beginning = Date.now();
    await sleep(20);
    await keep(history, 'Other.md', 'other');
    const older = new Database(file());
    await older.backup(`${file()}.old`);
    older.close();
    await sleep(20);
    await keep(history, 'N.md', 'second');
    await sleep(20);
    const lost = Date.now();
    await sleep(20);
    for (const suffix of ['-wal', '-shm']) rmSync(file() + suffix, { force: true });
    renameSync(`${file()}.old`, file());
    await keep(history, 'N.md', 'third');
    assert.equal(await textOf(history, 'N.md', beginning), 'first');
    assert.equal(await textOf(history, 'N.md', lost), '(not_kept)');
    assert.equal(await textOf(history, 'N.md', Date.now()), 'third');
    assert.ok(history.isDoubtful, 'the next scan compares all notes');
    await compare('third');
    assert.equal(history.isDoubtful, false);
    assert.equal(await textOf(history, 'N.md', lost), '(not_kept)');
  });
});
