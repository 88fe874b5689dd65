// Other programs write through a descriptor that they opened before a tool replaced the file: nothing of it is lost.
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../until.ts';
import { configFile, openSession, temporaryFolder } from './session.ts';

async function serverOn(context: TestContext, notes: readonly string[]) {
  const vault = temporaryFolder(context);
  for (const note of notes) writeFileSync(join(vault, `${note}.md`), `# ${note}\n\nThe quay. [[A]] #boat\n`);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const session = await openSession(context, { config, stateFolder: temporaryFolder(context) });
  await session.indexed();
  const textOf = (name: string) => readFileSync(join(vault, `${name}.md`), 'utf8');
  const has = (name: string, text: string) => existsSync(join(vault, `${name}.md`)) && textOf(name).includes(text);
  /** Opens the note, runs the tool, and only then writes. */
  const writeLate = async (note: string, text: string, tool: string, args: object, flags = 'a') => {
    const descriptor = openSync(join(vault, `${note}.md`), flags);
    const answer = await session.call(tool, args as Record<string, unknown>);
    assert.equal(answer.isError, false, answer.text);
    writeSync(descriptor, text);
    closeSync(descriptor);
  };
  return { vault, session, textOf, has, writeLate };
}

const append = (note: string, text: string) => ({ note, edits: [{ op: 'append', text }] });

test('text that is appended to a file that was replaced is added to the file in its place', async (context) => {
  const { vault, session, textOf, has, writeLate } = await serverOn(context, ['A', 'B', 'C', 'D']);
  await writeLate('A', 'late edit\n', 'edit_note', append('A', 'ours'));
  await until(() => has('A', 'late edit'), 'the text is added after an edit');
  assert.equal(textOf('A'), '# A\n\nThe quay. [[A]] #boat\n\nours\nlate edit\n');
  await writeLate('B', 'late properties\n', 'set_properties', { note: 'B', set: { a: 1 } });
  await until(() => has('B', 'late properties'), 'the text is added after properties were set');
  await writeLate('C', 'late tag\n', 'rename_tag', { from: 'boat', to: 'ship', confirm: true });
  await until(() => has('C', 'late tag'), 'the text is added after a tag was renamed');
  await writeLate('A', 'late move\n', 'move_note', { note: 'A', to: 'Anchor', confirm: true });
  await until(() => has('Anchor', 'late move'), 'the text follows a note that was moved and changed');
  assert.equal((await session.call('edit_note', append('D', 'ours'))).isError, false);
  await writeLate('D', 'late undo\n', 'undo_change', {});
  await until(() => has('D', 'late undo'), 'the text is added after an undo');
  const descriptor = openSync(join(vault, 'D.md'), 'a');
  for (const text of ['one', 'two']) await session.call('edit_note', append('D', text));
  for (const text of ['first\n', 'second\n']) {
    writeSync(descriptor, text);
    await until(() => has('D', text), `${text} is added although the file was replaced twice`);
  }
  closeSync(descriptor);
});

test('a line that was not ended goes on only where the file still ends with it', async (context) => {
  const { vault, session, textOf, has } = await serverOn(context, []);
  const replace = (note: string, find: string) => ({
    note,
    edits: [{ op: 'replace_text', target: find, text: 'ours' }],
  });
  const cases = [
    ['A', 'first\nold ', append('A', '- [ ] ours'), 'first\nold \n\n- [ ] ours\nline, more\n'],
    ['B', 'first\nold ', replace('B', 'first'), 'ours\nold line, more\n'],
    ['C', 'old ', replace('C', 'old'), 'ours \nline, more\n'],
    ['D', 'old ', { note: 'D', edits: [{ op: 'prepend', text: 'ours' }] }, 'ours\n\nold line, more\n'],
  ] as const;
  for (const [note, text] of cases) writeFileSync(join(vault, `${note}.md`), text);
  await session.call('reindex', { wait_ms: 10_000 });
  for (const [note, , args, after] of cases) {
    const descriptor = openSync(join(vault, `${note}.md`), 'a');
    const answer = await session.call('edit_note', { ...args, confirm: true });
    assert.equal(answer.isError, false, answer.text);
    for (const part of ['line', ', more\n']) {
      writeSync(descriptor, part);
      await until(() => has(note, part), `${part} is added to ${note}`);
    }
    closeSync(descriptor);
    assert.equal(textOf(note), after);
  }
});

test('what cannot be added is kept beside the file, and the log names it', async (context) => {
  const { vault, session, textOf, has, writeLate } = await serverOn(context, ['A', 'B', 'C']);
  await writeLate('A', 'XX', 'edit_note', append('A', 'ours'), 'r+');
  await until(() => has('A 1', 'XXA'), 'a text that was overwritten is kept');
  assert.match(textOf('A'), /^# A\n.*ours\n$/s);
  const descriptor = openSync(join(vault, 'B.md'), 'a');
  await session.call('edit_note', append('B', 'ours'));
  writeFileSync(join(vault, 'B.md'), 'by another program\n');
  writeSync(descriptor, 'late\n');
  closeSync(descriptor);
  await until(() => has('B 1', 'late'), 'the addition to a note that another program changed is kept');
  assert.equal(textOf('B'), 'by another program\n');
  await session.call('create_note', { path: 'New', content: 'new' });
  await writeLate('New', 'late', 'undo_change', {});
  await until(() => has('New', 'newlate'), 'the file that an undo removed is kept');
  const logged = () => session.stderr().match(/"written_after_replace".*"kept_beside"/g) ?? [];
  await until(() => logged().length === 3, 'the log names each');
});
