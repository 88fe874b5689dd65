// An older copy of the index put in place of it while servers use it: no server answers from a mixture of the two.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { until } from '../until.ts';
import { indexFile, openSession, type Session, temporaryFolder } from './session.ts';

const NOTES = 40;
const CHANGED = 15;

/** @param look has each server look at the file */
type Restore = (old: string, file: string, look: () => Promise<void>) => void | Promise<void>;

const WAYS: readonly (readonly [how: string, restore: Restore])[] = [
  ['written over it in place', writeOver],
  ['written over it in place after a checkpoint', writeOverClosed],
  ['written over it in place, with its size and time', writeOverUnseen],
  ['renamed onto it, beside the log of the newer one', renameOnto],
  ['renamed onto it, without the log of the newer one', renameWithoutLog],
];

function writeOver(old: string, file: string): void {
  writeFileSync(file, readFileSync(old), { flag: 'r+' });
}

function writeOverClosed(old: string, file: string): void {
  checkpoint(file);
  writeOver(old, file);
}

/** As far as the usual look at a file shows, it is the same. */
async function writeOverUnseen(old: string, file: string, look: () => Promise<void>): Promise<void> {
  checkpoint(file);
  const { ino, size, atime, mtime } = statSync(file);
  // Only whole milliseconds can be set again.
  utimesSync(file, atime, mtime);
  await look();
  writeFileSync(file, Buffer.concat([readFileSync(old), Buffer.alloc(size)]).subarray(0, size), { flag: 'r+' });
  utimesSync(file, atime, mtime);
  const now = statSync(file);
  assert.deepEqual([now.ino, now.size, now.mtime], [ino, size, mtime]);
}

function checkpoint(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

function renameOnto(old: string, file: string): void {
  copyFileSync(old, `${file}.restored`);
  renameSync(`${file}.restored`, file);
}

function renameWithoutLog(old: string, file: string): void {
  renameOnto(old, file);
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

const text = (word: string, at: number): string => `${word} number ${at} [[Note ${at + 1}]] #${word}`;

for (const [how, restore] of WAYS) {
  test(`an older index ${how} is noticed before anything is answered from it`, async (context) => {
    const [vault, dataFolder] = [temporaryFolder(context), temporaryFolder(context)];
    const write = (word: string, count: number): void => {
      for (let at = 0; at < count; at += 1) writeFileSync(join(vault, `Note ${at}.md`), text(word, at));
    };
    write('quokka', NOTES);
    const first = await openSession(context, { vault, dataFolder });
    await first.indexed();
    await first.close();
    const file = indexFile(dataFolder);
    await until(async () => !existsSync(`${file}-wal`), 'it is closed');
    const old = join(temporaryFolder(context), 'old.db');
    copyFileSync(file, old);
    const leader = await openSession(context, { vault, dataFolder });
    await leader.indexed();
    const sessions = [leader, await openSession(context, { vault, dataFolder })];
    write('wombat', CHANGED);
    for (const each of sessions) await until(async () => (await totals(each)) === right, 'it is indexed');
    const look = async (): Promise<void> => {
      for (const each of sessions) await each.call('list_tags', {});
    };
    await restore(old, file, look);
    const correct = new Set<Session>();
    await until(async () => {
      for (const each of sessions) {
        const found = await totals(each);
        if (found === right) correct.add(each);
        else assert.match(found, /^(?:(?:STORE_CORRUPT|NOT_READY|INDEX_BUILDING|PARTIAL) ?)+$/, found);
      }
      return correct.size === sessions.length;
    }, 'both answer again');
  });
}

const right = `${CHANGED} ${NOTES - CHANGED} #quokka:${NOTES - CHANGED},#wombat:${CHANGED}`;

/** What tools that read different tables say of the same notes, or why they do not. */
async function totals(session: Session): Promise<string> {
  const answers = [
    await session.call('search_text', { query: 'wombat', limit: 100 }),
    await session.call('search_text', { query: 'quokka', limit: 100 }),
    await session.call('list_tags', {}),
  ];
  if (answers.some(({ text: said }) => said.startsWith('PARTIAL'))) return 'PARTIAL';
  const codes = answers.flatMap(({ structured }) => structured.error?.code ?? []);
  if (codes.length > 0) return codes.join(' ');
  const [wombat, quokka, tags] = answers.map(({ structured }) => structured.data);
  const counted = tags.tags.map((tag: string) => tag.replace(' ', ':')).toSorted();
  return `${wombat.total} ${quokka.total} ${counted.join(',')}`;
}
