// move_note on a heading: the section becomes a note, a link stays, links to what it holds follow, and undo restores every byte.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { withTools } from '../tools-under-test.ts';

const read = ({ root }: { readonly root: string }, path: string): string => readFileSync(join(root, path), 'utf8');

const FILES = {
  'Fleet/Boats.md':
    '---\nkind: list\n---\n# Boats\n\n[[#Gannet]] first.\n\n## Gannet\n\nFast. ^gan\n\n### Engine\n\nDiesel, see [[#Gannet]], [[#Plover]] and [x](../Harbour.md).\n\n## Plover\n\nSlow.\n',
  'Harbour.md':
    '---\nboat: "[[Boats#Gannet]]"\n---\n[[Boats#Gannet|the gannet]] [[Boats#^gan]] ![[Boats#Boats#Gannet#Engine]] [m](Fleet/Boats.md#engine) [[Boats#Plover]] [[Boats]]\n',
  'Map.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"Fleet/Boats.md","subpath":"#Engine","x":0,"y":0,"width":9,"height":9}],"edges":[]}',
};

test('the section becomes a note beside its own, and every link to it follows', () =>
  withTools(
    FILES,
    async ({ ask, folder, refusal }) => {
      await refusal(moveNote, { note: 'Boats#Gannet' }, 'CONFIRMATION_REQUIRED');
      const planned = await ask(moveNote, { note: 'Boats#Gannet', dry_run: true });
      assert.equal(planned.path, 'Fleet/Gannet.md');
      const { change_id, from, path, rewritten } = await ask(moveNote, { plan_id: planned.plan_id });
      assert.deepEqual([from, path], ['Fleet/Boats.md#Gannet', 'Fleet/Gannet.md']);
      assert.equal(rewritten.length, 8);
      assert.equal(
        read(folder, 'Fleet/Gannet.md'),
        '## Gannet\n\nFast. ^gan\n\n### Engine\n\nDiesel, see [[#Gannet]], [[Boats#Plover]] and [x](../Harbour.md).\n',
      );
      assert.equal(
        read(folder, 'Fleet/Boats.md'),
        '---\nkind: list\n---\n# Boats\n\n[[Gannet]] first.\n\n[[Gannet]]\n\n## Plover\n\nSlow.\n',
      );
      assert.equal(
        read(folder, 'Harbour.md'),
        '---\nboat: "[[Gannet]]"\n---\n[[Gannet|the gannet]] [[Gannet#^gan]] ![[Gannet#Engine]] [m](Fleet/Gannet.md#Engine) [[Boats#Plover]] [[Boats]]\n',
      );
      assert.match(read(folder, 'Map.canvas'), /"file":"Fleet\/Gannet\.md","subpath":"#Engine"/);
      await ask(undoChange, { change_id, confirm: true });
      for (const [file, text] of Object.entries(FILES)) assert.equal(read(folder, file), text);
    },
    { writes: true },
  ));

test('to names the note or its folder; taken names, blocks and shared footnotes are refused', () =>
  withTools(
    { ...FILES, 'Foot.md': '# Foot\n\n## One\n\nA claim.[^1]\n\n## Two\n\n[^1]: Source.\n', 'Other.md': '' },
    async ({ ask, folder, refusal }) => {
      const place = async (to: string) => (await ask(moveNote, { note: 'Boats#Plover', to, dry_run: true })).path;
      assert.equal(await place('/'), 'Plover.md');
      assert.equal(await place('Old/'), 'Old/Plover.md');
      assert.equal(await place('Slow boat'), 'Slow boat.md');
      await refusal(moveNote, { note: 'Boats#Plover', to: 'Other', confirm: true }, 'NOTE_EXISTS');
      await refusal(moveNote, { note: 'Boats#Plover', to: 'Fleet', confirm: true }, 'INVALID_INPUT');
      await refusal(moveNote, { note: 'Boats#^gan', confirm: true }, 'INVALID_INPUT');
      await refusal(moveNote, { note: 'Boats:1-3', confirm: true }, 'INVALID_INPUT');
      await refusal(moveNote, { note: 'Boats#Nix', confirm: true }, 'NOTE_PART_NOT_FOUND');
      await refusal(moveNote, { note: 'Foot#One', confirm: true }, 'INVALID_INPUT');
      await refusal(moveNote, { note: 'Boats' }, 'INVALID_INPUT');
      for (const [file, text] of Object.entries(FILES)) assert.equal(read(folder, file), text);
    },
    { writes: true },
  ));

test('a lane of a board and a section of a drawing leave what their plugins keep below them', () =>
  withTools(
    {
      'Board.md': '---\nkanban-plugin: board\n---\n\n## Done\n\n- [x] Oil\n\n\n***\n\n## Archive\n\n- [x] Old\n',
      'Hull.md': '---\nexcalidraw-plugin: parsed\n---\n\n## Notes\n\nmine\n\n%%\n# Excalidraw Data\n\n## Drawing\n%%\n',
    },
    async ({ ask, folder }) => {
      await ask(moveNote, { note: 'Board#Done', confirm: true });
      assert.equal(read(folder, 'Done.md'), '## Done\n\n- [x] Oil\n');
      assert.match(read(folder, 'Board.md'), /---\n\n\[\[Done\]\]\n\n\n\*\*\*\n\n## Archive\n\n- \[x\] Old\n$/);
      await ask(moveNote, { note: 'Hull#Notes', confirm: true });
      assert.equal(read(folder, 'Notes.md'), '## Notes\n\nmine\n');
      assert.match(read(folder, 'Hull.md'), /\[\[Notes\]\]\n\n%%\n# Excalidraw Data\n\n## Drawing\n%%\n$/);
    },
    { writes: true },
  ));
