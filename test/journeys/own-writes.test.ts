// Tests that no change of a server is reported to its own client as a change of the vault that the index lacks.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFile, openSession, temporaryFolder } from './session.ts';

test('neither a write nor the question after it warns of a pending index, and the question finds what was written', async (context) => {
  const vault = temporaryFolder(context);
  for (let at = 0; at < 30; at += 1) writeFileSync(join(vault, `Note ${at}.md`), `# Note ${at}\n\nSee [[Hub]].\n`);
  writeFileSync(join(vault, 'Hub.md'), '# Hub\n\nAll of them.\n');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  const hold = async (tool: string, given: object): Promise<void> => {
    const { text } = await session.call(tool, { ...given });
    assert.doesNotMatch(text, /INDEX_PENDING|stale=/, tool);
  };
  await hold('create_note', { path: 'New', content: 'A zeppelin lands.' });
  const { structured } = await session.call('search_text', { query: 'zeppelin' });
  assert.equal(structured.data.hits[0].path, 'New.md');
  await hold('edit_note', { note: 'New', edits: [{ op: 'append', text: 'Again.' }] });
  await hold('read_notes', { notes: ['New'], include: ['links'] });
  await hold('move_note', { note: 'Hub', to: 'Centre', confirm: true });
  await hold('get_neighbors', { note: 'Centre' });
  await hold('undo_change', { confirm: true });
  await hold('list_notes', {});
  // Each of these makes or removes folders, whose events come in several parts.
  for (let at = 0; at < 4; at += 1) {
    await hold('create_note', { path: `Made ${at}/Deep/Note ${at}`, content: 'See [[Hub]].' });
    await hold('move_note', { note: `Made ${at}/`, to: `Moved ${at}/`, confirm: true });
    const { structured } = await session.call('move_note', { note: `Note ${at}`, to: `Far ${at}/off/`, dry_run: true });
    await hold('move_note', { plan_id: structured.data.plan_id });
    await hold('edit_note', { note: `Note ${at}`, edits: [{ op: 'append', text: 'Again.' }] });
    await hold('delete_note', { note: `Note ${at}`, confirm: true });
    await hold('list_notes', {});
  }
});
