// A change of a large part of a vault is written in several transactions, each within the time limit of one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asPath } from '../../contracts/store/law.ts';
import { signal, withIndex } from '../index-under-test.ts';

const FILES = 11_000;
const MAX_CHANGED_FILES = 1_000;

it('a folder of many files that comes, and is renamed, is written in parts', () =>
  withIndex(async ({ folder, store, run }) => {
    folder.put('Note.md', '![[0.png]]');
    for (let n = 0; n < FILES; n += 1) folder.put(`pictures/${n}.png`, '');
    const paths = async (): Promise<string[]> => (await store.fileStates(signal)).map(({ path }) => path);
    const revisionAfter = async (): Promise<number> => {
      const { state, error } = await run();
      assert.equal(state, 'succeeded', String(error));
      return (await store.counts(signal)).revision;
    };
    const first = await revisionAfter();
    // 64, 128, 256 and 512 files come first, so that a process that soon ends again leaves something.
    const small = [64, 128, 256, 512];
    const rest = FILES - small.reduce((sum, count) => sum + count, 0);
    assert.ok(first >= small.length + Math.ceil(rest / MAX_CHANGED_FILES), `revision ${first}`);
    assert.equal((await paths()).length, FILES + 1);
    folder.move('pictures', 'images');
    const second = await revisionAfter();
    assert.ok(second - first >= 2 * Math.ceil(FILES / MAX_CHANGED_FILES), `revision ${second} after ${first}`);
    const moved = await paths();
    assert.equal(moved.length, FILES + 1);
    assert.ok(moved.every((path) => path === 'Note.md' || path.startsWith('images/')));
    const [link] = await store.links(asPath('Note.md'), 'out', { limit: 1, offset: 0 }, signal);
    assert.ok(JSON.stringify(link).includes('images/0.png'));
  }));
