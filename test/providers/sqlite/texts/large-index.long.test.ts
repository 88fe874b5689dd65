// The text index of a large vault: no write merges all of it, and answers are complete.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { TextQuery } from '../../../../src/contracts/text-query.ts';
import { ALL, fill, rewrite, signal } from '../../../contracts/store/law.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

const NOTES = 70_000;
const PER_WRITE = 500;
/** Of a segment that was merged; the limit, and one write more. */
const MAX_SEGMENT = 32_768 + PER_WRITE;

let folder: IndexFolder;
beforeEach(() => {
  folder = createIndexFolder();
});
afterEach(() => folder.remove());

const pathOf = (at: number): string => `${at}.md`;
const notesFrom = (first: number, text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: PER_WRITE }, (_, at) => [pathOf(first + at), text]));

function segmentSizes(): number[] {
  const database = new Database(folder.file, { readonly: true });
  const sizes = database.prepare('SELECT note_count FROM text_segments ORDER BY first_doc').pluck().all() as number[];
  database.close();
  return sizes;
}

const query = (text: string): TextQuery => ({ terms: [{ text, kind: 'word', negated: false }], match: 'any' });

describe('the text index of a large vault', () => {
  it('merges up to a size, and finds every note', async () => {
    const { capability: store, close } = await folder.open();
    for (let first = 0; first < NOTES; first += PER_WRITE) await fill(store, notesFrom(first, 'tide'));
    await store.completeScan('2026-11-24T00:00:00.000Z', signal);
    assert.ok(segmentSizes().length <= 3, String(segmentSizes()));
    assert.ok(Math.max(...segmentSizes()) <= MAX_SEGMENT, String(segmentSizes()));
    assert.equal((await store.searchText(query('tide'), {}, ALL, signal)).total, NOTES);
    for (let first = 0; first < NOTES; first += PER_WRITE) await rewrite(store, notesFrom(first, 'ebb'));
    // Segments of replaced notes are packed again, some of them after each scan.
    for (const at of ['01', '02', '03']) await store.completeScan(`2026-11-24T00:00:${at}.000Z`, signal);
    assert.ok(segmentSizes().length <= 3, String(segmentSizes()));
    assert.equal((await store.searchText(query('tide'), {}, ALL, signal)).total, 0);
    assert.equal((await store.searchText(query('ebb'), {}, ALL, signal)).total, NOTES);
    await close();
  });
});
