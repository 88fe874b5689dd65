// Tests that the soak test reports a note that is lost, and not one that a client moves during the search.
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom } from '../bench/random.ts';
import { createNotes } from './notes.ts';

test('a note that is gone is lost; one that a client moves during the search is not', async (context) => {
  const vault = mkdtempSync(join(tmpdir(), 'vaultgraph-soak-notes-'));
  context.after(() => rmSync(vault, { recursive: true }));
  const notes = createNotes(vault, createSeededRandom(1));
  const create = (name: string): { readonly mark: string; readonly file: string } => {
    const { text, mark } = notes.marked('words');
    writeFileSync(join(vault, name), text);
    notes.expect(mark);
    return { mark, file: join(vault, name) };
  };
  create('Kept.md');
  const moved = create('Moved.md');
  const removed = create('Removed.md');
  renameSync(moved.file, `${moved.file}.moving`);
  rmSync(removed.file);
  const lost = notes.lost();
  renameSync(`${moved.file}.moving`, join(vault, 'New.md'));
  assert.deepEqual(await lost, [removed.mark]);
  notes.giveUp(removed.mark);
  assert.deepEqual(await notes.lost(), []);
});
