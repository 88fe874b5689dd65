// Links of a note that an edit leaves as they are: their rows stay, unless one of them is damaged.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ChangeSet } from '../../../../src/contracts/change-set.ts';
import { rowChecksum } from '../../../../src/providers/sqlite/database/checksum.ts';
import type { Connection } from '../../../../src/providers/sqlite/database/connection.ts';
import { loadEngine } from '../../../../src/providers/sqlite/database/engine.ts';
import { openWriter } from '../../../../src/providers/sqlite/database/open-database.ts';
import { createRows } from '../../../../src/providers/sqlite/database/rows.ts';
import { ChangeWriter } from '../../../../src/providers/sqlite/write/apply-changes.ts';
import { unpackChanges } from '../../../../src/providers/sqlite/write/unpack-changes.ts';
import { changes, filled, indexed } from '../../../contracts/store/law.ts';
import { createIndexFolder } from '../database/index-folder.ts';

const LINKS = 1_000;
const text = Array.from({ length: LINKS }, (_, at) => `[[Gone ${at}]]`).join(' ');
/** For the rows besides those of links. */
const FEW = 100;

const folder = createIndexFolder();
let connection: Connection;
let writer: ChangeWriter;

before(async () => {
  await (await folder.open()).close();
  connection = openWriter(loadEngine(), folder.file);
});
beforeEach(() => {
  writer = new ChangeWriter(createRows(connection));
  writer.reset();
  apply(filled({ 'Log.md': text }));
});
after(() => {
  connection.close();
  folder.remove();
});

/** @returns how many rows it has changed */
function apply(set: ChangeSet): number {
  const total = (): number => connection.prepare<[], number>('SELECT total_changes()').pluck().get() ?? 0;
  const start = total();
  writer.apply(unpackChanges(set), new Date().toISOString(), () => undefined);
  return total() - start;
}

const rewritten = (after: string): number => apply(changes({ indexed: [indexed('Log.md', after)] }));
const rowsWhere = (sql: string): unknown => connection.prepare(`SELECT COUNT(*) FROM links WHERE ${sql}`).pluck().get();

describe('the rows of the links of a note', () => {
  it('are as many as there are changed links after text or links were added at the end', () => {
    assert.ok(rewritten(`${text} [[New]] water`) < FEW);
    assert.equal(rowsWhere('TRUE'), LINKS + 1);
  });

  it('are changed once each if the text moves', () => {
    const changed = rewritten(`water ${text}`);
    assert.ok(changed < LINKS + FEW, `${changed}`);
    assert.equal(rowsWhere('"offset" < 6'), 0);
  });

  it('are all written again once other rules read the note', () => {
    connection.prepare('UPDATE state SET rules = 0').run();
    assert.ok(rewritten(`${text} water`) >= LINKS);
  });

  it('are written again where one is damaged, or missing', () => {
    connection.function('row_checksum', { deterministic: true, varargs: true }, () => 1);
    connection.prepare('UPDATE links SET target = 99 WHERE ordinal = 5').run();
    connection.function('row_checksum', { deterministic: true, varargs: true }, rowChecksum);
    connection.prepare('DELETE FROM links WHERE ordinal = 7').run();
    rewritten(`${text} water`);
    assert.equal(rowsWhere('target IS NULL'), LINKS);
  });
});
