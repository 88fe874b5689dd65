// Tests edits of several notes in one change, tasks without a note, deleted sections and created headings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTasks } from '../../../src/tools/tasks/list_tasks.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = {
  'A.md': '# A\n\ntext\n\n## Log\n\n- one\n\n### Deep\n\nx ^deep\n\n## End\n\nend\n',
  'B.md': '- [ ] Call Ada 📅 2026-01-01\n- [ ] Sharpen irons\n- [x] Old ✅ 2026-01-01\n',
  'C.md': '- [ ] Call Ada again\n- [ ] Paint\n- [ ] Buy ÉCLAIRS\n',
  'D.md': '[[A#Log]] [[A#^deep]] [[A#End]]\n- [ ] Paint\n',
};

test('edits of several notes are one change, which undo takes back whole', () =>
  withWrites(FILES, async (under) => {
    const edits = [
      { note: 'A', op: 'append', target: '#Log', text: '- two' },
      { note: 'D.md', op: 'append', text: 'more' },
      { note: 'A', op: 'append', text: 'last' },
    ];
    await under.refusal(editNote, { edits }, 'CONFIRMATION_REQUIRED');
    await under.refusal(editNote, { edits, if_match: 'x' }, 'INVALID_INPUT');
    const after = await shownWrittenUndone(under, editNote, { edits });
    assert.match(after['A.md'] ?? '', /- one\n- two\n[\s\S]*last\n$/);
    assert.match(after['D.md'] ?? '', /more\n$/);
  }));

test('a note whose edits fail is left as it is and listed, and the others are written', () =>
  withWrites(FILES, async ({ ask, text, refusal, files }) => {
    const edits = [
      { note: 'A', op: 'append', text: 'x' },
      { note: 'B', op: 'append', text: 'x' },
      { note: 'B', op: 'append', target: '#Nowhere', text: 'y' },
      { note: 'Nothing', op: 'append', text: 'x' },
    ];
    const { succeeded, failed, change_id } = await ask(editNote, { edits, confirm: true });
    assert.deepEqual(
      [succeeded.map(({ id }: { id: string }) => id), failed.map(({ id }: { id: string }) => id)],
      [['A'], ['B', 'Nothing']],
    );
    assert.equal(text('B.md'), Buffer.from(FILES['B.md']).toString('latin1'));
    await ask(undoChange, { change_id });
    const before = files();
    await refusal(editNote, { edits: [{ op: 'append', text: 'x' }] }, 'INVALID_INPUT');
    const twice = [edits[0], { note: 'A.md', op: 'append', text: 'y' }];
    const result = await ask(editNote, { edits: twice, dry_run: true });
    assert.equal(result.failed[0].error.code, 'INVALID_INPUT', 'one note by two names');
    assert.deepEqual(files(), before);
  }));

test('a task is found without its note if its text is unique', () =>
  withWrites(FILES, async (under) => {
    const { ask, refusal, text } = under;
    const set = (target: string, more: object) => ({ edits: [{ op: 'set_task', target, ...more }] });
    const after = await shownWrittenUndone(under, editNote, set('Sharpen irons', { status: 'done' }));
    assert.match(Buffer.from(after['B.md'] ?? '', 'latin1').toString(), /- \[x\] Sharpen irons ✅ \d{4}-\d\d-\d\d\n/);
    await ask(editNote, set('- [ ] Call Ada again', { due: '2026-12-24' }));
    assert.match(Buffer.from(text('C.md') ?? '', 'latin1').toString(), /Call Ada again 📅 2026-12-24\n/);
    const several = await refusal(editNote, set('Paint', { status: 'done' }), 'EDIT_TARGET_AMBIGUOUS');
    assert.deepEqual(several.choices?.items.map(({ value }) => value).sort(), ['C.md', 'D.md']);
    const missing = await refusal(editNote, set('buy eclairs', { status: 'done' }), 'EDIT_TARGET_NOT_FOUND');
    assert.match(missing.hint, /Buy ÉCLAIRS/);
    await refusal(editNote, set('Old', { due: 'next month' }), 'INVALID_QUERY');
    await refusal(editNote, set('^id', { status: 'done' }), 'INVALID_INPUT');
  }));

test('list_tasks filters by words of the text, and pages them', () =>
  withWrites(FILES, async ({ ask }) => {
    const found = await ask(listTasks, { text: 'ada CALL', limit: 1 });
    assert.deepEqual([found.total, found.tasks.length], [2, 1]);
    const rest = await ask(listTasks, { text: 'ada CALL', limit: 1, cursor: found.next_cursor });
    assert.deepEqual([rest.tasks[0].path, rest.next_cursor], ['C.md', undefined]);
    assert.equal((await ask(listTasks, { text: 'eclairs' })).total, 1);
    assert.equal((await ask(listTasks, { text: 'old' })).total, 0);
    assert.equal((await ask(listTasks, { text: 'old', status: 'any' })).total, 1);
  }));

for (const [target, after] of [
  ['#Log', '# A\n\ntext\n\n## End\n\nend\n'],
  ['#End', '# A\n\ntext\n\n## Log\n\n- one\n\n### Deep\n\nx ^deep\n'],
  ['#A', ''],
  ['#Log#Deep', '# A\n\ntext\n\n## Log\n\n- one\n\n## End\n\nend\n'],
  ['#^deep', '# A\n\ntext\n\n## Log\n\n- one\n\n### Deep\n\n## End\n\nend\n'],
] as const) {
  test(`delete_section ${target} removes it whole, and needs consent`, () =>
    withWrites(FILES, async (under) => {
      const args = { note: 'A', edits: [{ op: 'delete_section', target }] };
      await under.refusal(editNote, args, 'CONFIRMATION_REQUIRED');
      assert.equal((await shownWrittenUndone(under, editNote, args))['A.md'], after);
      if (target === '#Log') assert.equal((await under.ask(editNote, { ...args, dry_run: true })).broken.length, 2);
    }));
}

for (const [name, before, edits, after] of [
  [
    'at the end, at the usual level',
    '# T\n\n## One\n\nx\n',
    [{ target: '#Log', text: '- a' }],
    '# T\n\n## One\n\nx\n\n## Log\n\n- a\n',
  ],
  [
    'below its parent',
    '# T\n## One\nx\n## Two\ny\n',
    [{ target: '#One#Log', text: '- a' }],
    '# T\n## One\nx\n\n### Log\n- a\n## Two\ny\n',
  ],
  [
    'once for two edits',
    'x\n',
    [
      { target: '### Log', text: '- a' },
      { target: '#Log', text: '- b' },
    ],
    'x\n\n### Log\n\n- a\n- b\n',
  ],
  ['not if it exists', '## Log\n- a\n', [{ target: '#log', text: '- b' }], '## Log\n- a\n- b\n'],
  ['in an empty note', '', [{ target: 'Issue #42', text: 'a' }], '## Issue #42\n\na'],
] as const) {
  test(`create_heading ${name}`, () =>
    withWrites({ 'N.md': before }, async ({ ask, text, refusal }) => {
      const [first] = edits;
      if (!name.startsWith('not'))
        await refusal(editNote, { note: 'N', edits: [{ op: 'append', ...first }] }, 'EDIT_TARGET_NOT_FOUND');
      await ask(editNote, { note: 'N', edits: edits.map((one) => ({ op: 'append', create_heading: true, ...one })) });
      assert.equal(text('N.md')?.trimEnd(), after.trimEnd());
      await refusal(
        editNote,
        { note: 'N', edits: [{ op: 'prepend', create_heading: true, ...first }] },
        'INVALID_INPUT',
      );
    }));
}
