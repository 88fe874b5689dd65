// A stored value that is not the one that was written: readers refuse it, and the integrity check finds it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import type { Store } from '../../../../src/contracts/store.ts';
import { ownIdentity } from '../../../../src/providers/processes/process-identity.ts';
import { isIntact, rowChecksum, type SqlValue } from '../../../../src/providers/sqlite/database/checksum.ts';
import { addChecksumFunction } from '../../../../src/providers/sqlite/database/open-database.ts';
import { ALL, asPath, changes, fill, rewrite, signal } from '../../../contracts/store/law.ts';
import { EAST, embed, opened } from '../../../contracts/store/vector-vault.ts';
import { type KeptIndex, keepIndex, TORN } from './kept-index.ts';

const EBB = '---\naliases: [Low]\nmood: calm\n---\n# Low water\n#tide [[Flow]] [[Nowhere]]\n- [ ] look';
const QUERY = { terms: [{ text: 'water', kind: 'word', negated: false }], match: 'any' } as const;

let index: KeptIndex;

before(async () => {
  index = await keepIndex(async (store) => {
    await fill(store, { 'Ebb.md': EBB, 'Flow.md': 'high water' });
    await store.cacheAnswer('key', '{"said":1}', signal);
    const generation = await opened(store);
    await embed(store, generation, { 'Ebb.md': [EBB, ['1', EAST]] });
    await store.activate(generation.id, signal);
  });
});
after(() => index.remove());

/** Runs once the next store is open, which refuses a file that was changed before. */
let pending: (() => void) | undefined;

/** Changes one row of the sound index and leaves its checksum as it was. */
function damage(table: string, column: string, value: SqlValue): void {
  index.restore();
  pending = () => change(table, column, value);
}

function change(table: string, column: string, value: SqlValue): void {
  const database = new Database(index.folder.file);
  const { found, checksum } = database.prepare(`SELECT ${column} AS found, checksum FROM ${table} LIMIT 1`).get() as {
    readonly found: SqlValue;
    readonly checksum: number;
  };
  database.function('row_checksum', { deterministic: true, varargs: true }, () => checksum);
  database
    .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} IS ? AND checksum = ?`)
    .run(value, found, checksum);
  database.close();
}

function storedBytes(table: string, column: string): Buffer {
  index.restore();
  const database = new Database(index.folder.file, { readonly: true });
  const value = database.prepare(`SELECT ${column} FROM ${table} LIMIT 1`).pluck().get() as Buffer;
  database.close();
  return value;
}

function flipped(table: string, column: string, at: number): Buffer {
  const value = storedBytes(table, column);
  value[at] = (value[at] ?? 0) ^ (1 << (at % 8));
  return value;
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const { capability: store, close } = await index.folder.open();
  try {
    pending?.();
    pending = undefined;
    await work(store);
  } finally {
    await close();
  }
}

const ebb = asPath('Ebb.md');
type Reads = readonly ((store: Store) => Promise<unknown>)[];
const notes: Reads[number] = (store) => store.notes([ebb], signal);
const links: Reads[number] = (store) => store.links(ebb, 'out', ALL, signal);

/** Everything that is read from the text index. */
const TEXTS: Reads = [
  (store) => store.searchText(QUERY, {}, ALL, signal),
  (store) => store.mentions('water', 9, signal),
  (store) => store.termPlaces(ebb, QUERY.terms, signal),
  (store) => store.wordCounts(['water'], signal),
  (store) => store.wordsFrom('wa', 9, signal),
];

const READ: readonly (readonly [table: string, column: string, value: SqlValue, Reads])[] = [
  [
    'files',
    'title',
    'High water',
    [
      notes,
      links,
      (store) => store.names(signal),
      (store) => store.searchText(QUERY, {}, ALL, signal),
      (store) => store.listNotes({}, 'path', 'asc', ALL, signal),
      (store) => store.candidates('Ebb', signal),
      (store) => store.mentions('water', 9, signal),
      (store) => store.nearestChunks(1, EAST, {}, 9, signal),
      (store) => store.apply(changes({ touched: [{ path: ebb, sizeBytes: 2, modifiedMs: 2 }] }), signal),
    ],
  ],
  ['files', 'edges', 1, [(store) => store.graph(signal)]],
  ['files', 'path', 'Abb.md', [(store) => store.propertyUse('mood', 9, signal)]],
  ['contents', 'headings', '[["High water",1,5,40]]', [notes, (store) => fill(store, { 'Ebb.md': 'other' })]],
  [
    'contents',
    'tag_places',
    'null',
    [notes, (store) => store.fileProperties([ebb], signal), (store) => store.listNotes({}, 'path', 'asc', ALL, signal)],
  ],
  [
    'links',
    'line',
    7,
    [links, (store) => store.linksBetween([{ source: ebb, target: asPath('Flow.md') }], 10, signal)],
  ],
  ['links', 'target', 1, [links, (store) => store.graph(signal)]],
  ['link_names', 'path', 'Flew', [links]],
  ['names', 'name', 'Lew', [notes, (store) => store.names(signal), (store) => store.candidates('Low', signal)]],
  ['property_names', 'name', 'aliasez', [notes]],
  ['property_values', 'value', 'calmer', [(store) => store.propertyUse('aliases', 9, signal)]],
  ['property_values', 'type', 7, [(store) => store.propertyUse('aliases', 9, signal)]],
  ['tag_names', 'tag', '#tidy', [(store) => store.listTags(undefined, {}, signal)]],
  [
    'tags',
    'file',
    9,
    [(store) => store.listTags(undefined, {}, signal), (store) => store.listTags('#t', { folder: 'x' }, signal)],
  ],
  ['tasks', 'tasks', '8', [(store) => store.listTasks({ status: 'any' }, ALL, signal)]],
  ['quarantine', 'reason', 'worn', [(store) => store.quarantine(ALL, signal)]],
  ['text_segments', 'directory', Buffer.from([0, 0, 1, 120]), TEXTS],
  ['text_segments', 'notes', Buffer.from([1, 1, 1, 1]), TEXTS],
  ['text_rows', 'data', Buffer.from([0, 1, 120, 1, 0, 1]), TEXTS],
  ['state', 'scanned_at', '2025', [(store) => store.progress(signal), (store) => store.counts(signal)]],
  ['generations', 'fingerprint', '{}', [(store) => store.generations(signal)]],
  ['answers', 'answer', '{"said":2}', [(store) => store.cachedAnswer('key', signal)]],
  ['lease', 'holder', '{"pid":1}', [(store) => store.lease(signal)]],
  ['jobs', 'job', 'null', [(store) => store.keptJobs(signal)]],
];

const CHANGED: readonly (readonly [table: string, column: string, value: SqlValue, Reads[number]])[] = [
  ['state', 'nodes_revision', 99, (store) => fill(store, { 'New.md': 'new' })],
  ['links', 'line', 7, (store) => store.apply(changes({ removed: [asPath('Flow.md')] }), signal)],
  ['text_notes', 'doc', 9, (store) => fill(store, { 'Ebb.md': 'other' })],
  ['embedded', 'failed', 7, (store) => fill(store, { 'Ebb.md': 'other' })],
  ['generations', 'removed', 7, (store) => store.apply(changes({ removed: [ebb] }), signal)],
  ['quarantine', 'attempts', 7, (store) => store.apply(changes({ quarantined: [TORN] }), signal)],
  ['lease', 'beats', 7, (store) => store.takeLease({ client: 'a test', jobs: [] }, signal)],
];

describe('a damaged value', () => {
  for (const [table, column, value, reads] of READ) {
    it(`in ${table}.${column} is refused wherever it is read, and the integrity check names the table`, async () => {
      for (const read of reads) {
        damage(table, column, value);
        await withStore((store) => assert.rejects(read(store), { code: 'STORE_CORRUPT' }, String(read)));
      }
      damage(table, column, value);
      await withStore(async (store) => {
        assert.match((await store.integrity(signal)).join(), new RegExp(`damaged rows in the table ${table}`));
      });
    });
  }

  for (const [table, column, value, change] of CHANGED) {
    it(`in ${table}.${column} is refused where the row is changed, because its new checksum would hide the damage`, async () => {
      damage(table, column, value);
      await withStore((store) => assert.rejects(change(store), { code: 'STORE_CORRUPT' }));
    });
  }

  it('in text_dead.doc is refused wherever it is read, and the integrity check names the table', async () => {
    const withDead = (work: (store: Store) => Promise<void>): Promise<void> => {
      index.restore();
      return withStore(async (store) => {
        await rewrite(store, { 'Flow.md': 'low water' });
        change('text_dead', 'doc', 1);
        await work(store);
      });
    };
    for (const read of TEXTS)
      await withDead((store) => assert.rejects(read(store), { code: 'STORE_CORRUPT' }, String(read)));
    await withDead(async (store) => {
      assert.match((await store.integrity(signal)).join(), /damaged rows in the table text_dead/);
    });
  });

  it('in any byte of the text index is refused by every search that reads it', async () => {
    for (const [table, column] of [
      ['text_rows', 'data'],
      ['text_segments', 'notes'],
      ['text_segments', 'directory'],
    ] as const) {
      const { length } = storedBytes(table, column);
      for (let at = 0; at < length; at += 1 + Math.floor(length / 12)) {
        damage(table, column, flipped(table, column, at));
        await withStore((store) => assert.rejects(store.searchText(QUERY, {}, ALL, signal), { code: 'STORE_CORRUPT' }));
      }
      damage(table, column, storedBytes(table, column).subarray(0, length - 1));
      await withStore((store) => assert.rejects(store.searchText(QUERY, {}, ALL, signal), { code: 'STORE_CORRUPT' }));
    }
  });

  for (const [table, column, value] of [
    ['vectors', 'embedding', Buffer.alloc(12)],
    ['chunks', 'to_line', 99],
    ['embedded', 'chunks', 7],
  ] as const) {
    it(`in ${table}.${column} is found by the integrity check`, async () => {
      damage(table, column, value);
      await withStore(async (store) => {
        assert.match((await store.integrity(signal)).join(), new RegExp(`damaged rows in the table ${table}`));
      });
    });
  }

  it('is not reported of a sound index, also after further changes', async () => {
    index.restore();
    await withStore(async (store) => {
      assert.deepEqual(await store.integrity(signal), []);
      await fill(store, { 'New.md': '[[Ebb]] [[Flow]]', 'Nowhere.md': '[[New]]' });
      await store.apply(changes({ removed: [asPath('Flow.md')] }), signal);
      assert.deepEqual(await store.integrity(signal), []);
      await store.completeScan('2026-11-22T11:00:00.000Z', signal);
      assert.deepEqual(await store.integrity(signal), []);
    });
  });
});

describe('after a process ended without releasing its lease', () => {
  /** Gives the lease to a process that has ended. */
  function leaveLease(): void {
    const database = new Database(index.folder.file);
    addChecksumFunction(database);
    const { pid } = spawnSync(process.execPath, ['--version']);
    const holder = { pid, client: 'killed', since: '2026-11-22T10:00:00.000Z', life: { ...ownIdentity(), pid } };
    database.prepare('UPDATE lease SET holder = ?').run(JSON.stringify(holder));
    database.close();
  }

  it('the next one checks the whole index before the first answer', { timeout: 60_000 }, async () => {
    index.restore();
    change('vectors', 'embedding', Buffer.alloc(12));
    leaveLease();
    rmSync(`${index.folder.file}.seal`);
    await assert.rejects(index.folder.open(), { code: 'STORE_CORRUPT', hint: /doctor --rebuild-index/ });
  });

  it('an index whose first scan has not ended is opened beside the check, and answers wait for it', async () => {
    index.restore();
    change('vectors', 'embedding', Buffer.alloc(12));
    leaveLease();
    const database = new Database(index.folder.file);
    addChecksumFunction(database);
    database.prepare('UPDATE state SET scanned_at = NULL').run();
    database.close();
    rmSync(`${index.folder.file}.seal`);
    await withStore((store) =>
      assert.rejects(store.listNotes({}, 'path', 'asc', ALL, signal), { code: 'STORE_CORRUPT' }),
    );
  });

  it('a sound index stays readable, and closing ends the check', async () => {
    index.restore();
    leaveLease();
    rmSync(`${index.folder.file}.seal`);
    await withStore(async (store) => {
      assert.ok((await store.takeLease({ client: 'a test', jobs: [] }, signal)).isMine);
      assert.deepEqual(await store.integrity(signal), []);
      await store.progress(signal);
    });
  });
});

describe('the checksum of a row', () => {
  const row: readonly SqlValue[] = ['Ebb', 5, null, 2.5, Buffer.from('bytes'), ''];

  it('changes with each bit of a number and each character of a text', () => {
    const sum = rowChecksum(...row);
    assert.ok(isIntact([...row, sum]));
    for (const [at, value] of ([['Ebc'], ['Ebb '], [''], [null], ['5']] as const).entries()) {
      assert.equal(isIntact([value[0], ...row.slice(1), sum]), false, String(at));
    }
    const bytes = Buffer.alloc(8);
    for (let bit = 0; bit < 64; bit += 1) {
      bytes.writeDoubleLE(2.5);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(isIntact([...row.slice(0, 3), bytes.readDoubleLE(), ...row.slice(4), sum]), false, `bit ${bit}`);
    }
  });

  it('changes with each character of a long text', () => {
    const text = 'Flows past the fjörd. '.repeat(40);
    const sums = [...text].map((_, at) => rowChecksum(`${text.slice(0, at)}_${text.slice(at + 1)}`));
    assert.equal(sums.includes(rowChecksum(text)), false);
    assert.notEqual(rowChecksum(text, 'a'), rowChecksum(`${text}a`));
  });

  it('tells null, a number, a text and a blob apart', () => {
    const sums = [null, 0, '', '0', Buffer.alloc(0), Buffer.from('0')].map((value) => rowChecksum(value));
    assert.equal(new Set(sums).size, sums.length);
  });
});
