// An index is damaged if another look finds the damage, and not because the disk refused one read.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { toVaultgraphError } from '../../../../src/base/errors.ts';
import { createLog } from '../../../../src/base/log.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { DamagedIndex, forgetDamage } from '../../../../src/providers/sqlite/database/damaged-index.ts';
import { ReopeningStore } from '../../../../src/providers/sqlite/database/reopening-store.ts';
import { corruptError } from '../../../../src/providers/sqlite/database/store-errors.ts';

const { signal } = new AbortController();
/** Of the engine, for a read that the disk refused: EIO is the first, and what it makes of a page that it did not get the second. */
const CODES = ['SQLITE_IOERR_CORRUPTFS', 'SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX'];

interface Refusals {
  /** How many calls of the method, or attempts to open, fail one after the other. */
  progress?: number;
  apply?: number;
  open?: number;
  /** Whether a check of the whole file finds damage. */
  readonly isDamaged?: boolean;
  /** For a server: whether another look at the whole file finds nothing. */
  isSound?: boolean;
}

function indexWith(context: TestContext, code: string, refusals: Refusals) {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-refused-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'index.db');
  writeFileSync(file, '');
  const refuse = (what: 'progress' | 'apply' | 'open'): void => {
    const left = refusals[what] ?? 0;
    refusals[what] = left - 1;
    if (left > 0) throw Object.assign(new Error('disk I/O error'), { name: 'SqliteError', code });
  };
  const answering = (what: 'progress' | 'apply') => async () => {
    refuse(what);
    return { revision: 1, scannedAt: null };
  };
  const store = { progress: answering('progress'), apply: answering('apply') } as unknown as Store;
  const log = createLog('error', () => undefined);
  let madeAnew = 0;
  const rules = {
    serves: refusals.isSound !== undefined,
    log,
    create: async () => {
      madeAnew += 1;
      writeFileSync(file, '');
      forgetDamage(file);
    },
    obstacle: () => undefined,
    isSound: async () => refusals.isSound === true,
  };
  writeFileSync(`${file}.seal`, '');
  const damage = new DamagedIndex({ file, ...rules });
  const index = new ReopeningStore({
    file,
    damage,
    methods: ['progress', 'apply'],
    openIndex: async () => {
      refuse('open');
      return {
        store,
        token: () => null,
        release: async () => store,
        check: async () => {
          if (refusals.isDamaged) throw corruptError({ op: 'check', file }, 'SQLITE_CORRUPT');
        },
        close: async () => undefined,
      };
    },
  });
  const settled = async () => {
    await damage.settled();
    return { isMarked: existsSync(`${file}.damaged`), madeAnew };
  };
  return { store: index.store, isMarked: () => existsSync(`${file}.damaged`), settled };
}

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  const [outcome] = await Promise.allSettled([call]);
  return outcome.status === 'fulfilled' ? 'done' : toVaultgraphError(outcome.reason).code;
};

for (const code of CODES) {
  test(`${code} once: what was read is read again, and an index that was opened is opened again`, async (context) => {
    const { store, isMarked } = indexWith(context, code, { progress: 1, open: 1 });
    assert.deepEqual([await codeOf(store.progress(signal)), isMarked()], ['done', false]);
  });

  test(`${code} twice: the index is damaged`, async (context) => {
    for (const refusals of [{ progress: 2 }, { open: 2 }]) {
      const { store, isMarked } = indexWith(context, code, refusals);
      assert.deepEqual([await codeOf(store.progress(signal)), isMarked()], ['STORE_CORRUPT', true]);
    }
  });

  test(`${code} in a write: the index is damaged if a check of the whole file says so`, async (context) => {
    for (const isDamaged of [true, false]) {
      const { store, isMarked } = indexWith(context, code, { apply: 1, isDamaged });
      const failed = isDamaged ? 'STORE_CORRUPT' : 'STORE_UNAVAILABLE';
      assert.deepEqual([await codeOf(store.apply({} as never, signal)), isMarked()], [failed, isDamaged]);
      assert.equal(await codeOf(store.apply({} as never, signal)), isDamaged ? failed : 'done');
    }
  });
}

test('a file that the disk refused to read for a while is used again, and is replaced if calls go on failing', async (context) => {
  const refusals: Refusals = { progress: 2, isSound: true };
  const { store, settled } = indexWith(context, 'SQLITE_CORRUPT', refusals);
  assert.equal(await codeOf(store.progress(signal)), 'STORE_CORRUPT');
  assert.deepEqual(await settled(), { isMarked: false, madeAnew: 0 });
  assert.equal(await codeOf(store.progress(signal)), 'done');
  refusals.progress = 2;
  assert.equal(await codeOf(store.progress(signal)), 'STORE_CORRUPT');
  assert.deepEqual(await settled(), { isMarked: false, madeAnew: 1 });
});

test('a damaged file that another look finds damaged, too, is replaced at once', async (context) => {
  const { store, settled } = indexWith(context, 'SQLITE_CORRUPT', { progress: 2, isSound: false });
  assert.equal(await codeOf(store.progress(signal)), 'STORE_CORRUPT');
  assert.deepEqual(await settled(), { isMarked: false, madeAnew: 1 });
});
