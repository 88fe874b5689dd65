// Tests writes that would take over the links or names of another note, and new links that lead nowhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { mergeNotes } from '../../../src/tools/write/merge_notes.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { setProperties } from '../../../src/tools/write/set_properties.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { assertEach } from '../../assert-each.ts';
import { withWrites } from './write-under-test.ts';

const FILES = {
  'Boats/Gannet.md': '---\naliases: [Solan]\ntitle: Northern gannet\n---\n# Gannet\n\n## Hull\n',
  'One.md': '[[Gannet]] [[gannet|x]] [[Solan]] [[Northern gannet]]\n',
  'Two.md': '---\nup: "[[Gannet]]"\n---\n![[Gannet#Hull]]\n',
  'X.md': 'x\n',
  'Birds/Puffin.md': 'p\n',
  'Templates/Bird.md': '---\naliases: [Solan]\n---\n',
  'pic.png': 'png',
};
const { 'Templates/Bird.md': TEMPLATE, ...PLAIN } = FILES;

const CONFIRMATION = 'CONFIRMATION_REQUIRED';

test('a new note of the same name is refused while links would lead to it, and says which after it is confirmed', () =>
  withWrites(PLAIN, async ({ ask, refusal, files }) => {
    const before = files();
    const call = { path: 'Gannet', content: 'y' };
    const refused = await refusal(createNote, call, CONFIRMATION);
    assert.match(refused.message, /Boats\/Gannet\.md exists, and 4 links/);
    assert.match(refused.hint, /edit_note with note: "Boats\/Gannet\.md"/);
    await refusal(createNote, { path: 'gannet.md', content: 'y' }, CONFIRMATION);
    const shown = await ask(createNote, { ...call, dry_run: true });
    assert.deepEqual(files(), before);
    const { takes_over: taken, change_id } = await ask(createNote, { plan_id: shown.plan_id });
    assert.deepEqual([taken[0].note, taken[0].to, taken[0].links], ['Boats/Gannet.md', 'Gannet.md', 4]);
    assert.deepEqual(
      taken[0].places.map(({ path, link }: { path: string; link: string }) => `${path} ${link}`),
      ['One.md Gannet', 'One.md gannet', 'Two.md Gannet', 'Two.md Gannet#Hull'],
    );
    await ask(undoChange, { change_id });
    const { change_id: trashed } = await ask(deleteNote, { note: 'Boats/Gannet', confirm: true });
    const made = await ask(createNote, { ...call, path: 'Other/Gannet' });
    assert.equal('takes_over' in made, false);
    await refusal(undoChange, { change_id: trashed }, CONFIRMATION);
    await ask(undoChange, { change_id: trashed, confirm: true });
  }));

test('an alias or title that means another note is not given away by any tool without consent', () =>
  withWrites(PLAIN, async ({ ask, refusal, files }) => {
    const before = files();
    const edits = [{ op: 'append', text: 'x' }];
    const refused = [
      [createNote, { path: 'Solan', content: 'y' }],
      [createNote, { path: 'Birds/northern Gannet', content: 'y' }],
      [createNote, { path: 'New', content: '', properties: { aliases: ['Solan'] } }],
      [createNote, { path: 'New', content: '', properties: { title: 'Northern gannet' } }],
      [editNote, { note: 'Birds/Solan.md', create: true, edits }],
      [createNote, { path: 'New', content: '---\naliases: Solan\n---\n' }],
      [moveNote, { note: 'X', to: 'Solan' }],
      [moveNote, { note: 'X', to: 'Gannet', dry_run: false }],
      [setProperties, { note: 'X', add_aliases: ['Solan'] }],
      [setProperties, { note: 'X', set: { aliases: ['gannet'] } }],
      [setProperties, { note: 'X', set: { title: 'northern gannet' } }],
      [setProperties, { notes: ['X', 'Puffin'], add_aliases: ['Solan'] }],
    ] as const;
    for (const [tool, args] of refused) {
      const { details } = await refusal(tool, args, CONFIRMATION);
      const [taken] = (details as { takes_over: { note: string }[] }).takes_over;
      assert.equal(taken?.note, 'Boats/Gannet.md', JSON.stringify(args));
    }
    assert.deepEqual(files(), before);
    const { takes_over: taken } = await ask(setProperties, { note: 'X', add_aliases: ['Solan'], confirm: true });
    assert.deepEqual([taken[0].by, taken[0].links], ['alias', 1]);
    assert.equal('takes_over' in (await ask(setProperties, { note: 'X', remove_aliases: ['Solan'] })), false);
    const merged = await ask(mergeNotes, { notes: ['Boats/Gannet'], into: 'X', confirm: true });
    assert.equal('takes_over' in merged, false);
    await ask(undoChange, { change_id: merged.change_id });
  }));

test('a template is held to the same rule, and a name that no link uses is free', () =>
  withWrites({ ...FILES, 'Deep/Same.md': 's\n' }, async ({ ask, refusal }) => {
    const refused = await refusal(createNote, { path: 'New', template: 'Bird' }, CONFIRMATION);
    assert.match(refused.message, /"Solan" already means Boats\/Gannet\.md, by its alias \(1 link/);
    assert.match((await ask(createNote, { path: 'Same', content: '' })).change_id, /^chg_/);
  }));

test('the names in templates are free for the first note that gets them, and take none from the others', () =>
  withWrites(
    { 'Templates/Bird.md': TEMPLATE, '.obsidian/templates.json': '{"folder":"Templates"}', 'One.md': '[[Solan]]\n' },
    async ({ ask, refusal }) => {
      await ask(createNote, { path: 'First', template: 'Bird' });
      await refusal(createNote, { path: 'Second', template: 'Bird' }, CONFIRMATION);
      await refusal(createNote, { path: 'Solan', content: '' }, CONFIRMATION);
    },
  ));

test('new links that lead nowhere are listed with the nearest names, and block nothing', () =>
  withWrites(PLAIN, async ({ ask, warnings }) => {
    const content = '[[Gannt]] [[Boats/Gannet#Hul]] ![[pik.png]] [[X]] [[New]] [[#Here]]\n\n# Here\n\n[[#^none]]\n';
    const made = await ask(createNote, { path: 'New', content });
    assert.deepEqual(
      made.unresolved_links.map(({ line, link, nearest }: { line: number; link: string; nearest: string[] }) => [
        line,
        link,
        nearest,
      ]),
      [
        [1, 'Gannt', ['Boats/Gannet.md']],
        [1, 'Boats/Gannet#Hul', ['#Hull']],
        [1, 'pik.png', ['pic.png']],
        [5, '#^none', []],
      ],
    );
    assert.ok(warnings.some(({ code, count }) => code === 'LINKS_UNRESOLVED' && count === 4));
    const edit = (text: string) => ask(editNote, { note: 'New', edits: [{ op: 'append', text }] });
    assert.equal('unresolved_links' in (await edit('[[X]] [w](https://example.org/a.md)')), false);
    assert.equal((await edit('[p](Birds/Pufin.md) again [[Gannt]]')).unresolved_links.length, 2);
    const set = await ask(setProperties, { note: 'X', set: { up: '[[Gannt]]' }, dry_run: true });
    assert.equal(set.unresolved_links[0].nearest[0], 'Boats/Gannet.md');
  }));

test('a link to a file that the index does not have yet is not called one that leads nowhere', () =>
  withWrites(PLAIN, async ({ ask, folder, warnings }) => {
    folder.put('Birds/Tern.md', 't\n');
    folder.put('tern.png', 'png');
    const text = '[[Tern]] ![[tern.png]] [t](Birds/Tern.md) [[Nowhere]]';
    const edited = await ask(editNote, { note: 'X', edits: [{ op: 'append', text }] });
    assertEach(edited.unresolved_links, ({ link }: { link: string }) => link, ['Nowhere']);
    assert.ok(warnings.some(({ code, count }) => code === 'LINKS_UNRESOLVED' && count === 1));
    folder.put('Birds/Skua.md', '# Nest\n');
    const set = await ask(setProperties, { note: 'X', set: { up: '[[Skua]]' } });
    assert.equal('unresolved_links' in set, false);
  }));
