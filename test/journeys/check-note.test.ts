// Runs check_note with embeddings over stdio.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { embeddedSession, ollamaFor } from './embedding-session.ts';
import { temporaryFolder } from './session.ts';

test('with embeddings check_note reports the semantic rank; if the provider is down it reports everything else', async (context) => {
  const vault = temporaryFolder(context);
  writeFileSync(join(vault, 'Tide.md'), '# Tide\nThe neap tide is low.\n');
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, { vault: vault });
  const well = (await session.call('check_note', { note: 'Tide', query: 'neap tide' })).structured;
  assert.deepEqual(well.data.embedding, { embedded: true });
  assert.equal(typeof well.data.query.search.meaning.rank, 'number');
  assert.equal(well.meta.provider.capability, 'embedding');
  await ollama.refuse();
  const { structured, text } = await session.call('check_note', { note: 'Tide', query: 'neap tide' });
  assert.equal(structured.ok, true, text);
  assert.equal(structured.data.query.rank, 1);
  assert.equal(structured.data.query.search.error.code, 'PROVIDER_UNAVAILABLE');
});
