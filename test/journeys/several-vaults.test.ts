// A day with a work and a private vault in one server: what is asked about one shows nothing of the other.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../until.ts';
import { configFile, openSession } from './session.ts';
import { PRIVATE, PRIVATE_WORDS, questionsAbout, WORK, writeNotes } from './several-vaults-notes.ts';

test('an answer about the work vault has nothing of the private one, and a search of both names the vault of each hit', async (context) => {
  const [work, secret] = [writeNotes(context, WORK), writeNotes(context, PRIVATE)];
  const paths = `work: { path: ${JSON.stringify(work)}, access: read-write }, private: { path: ${JSON.stringify(secret)} }`;
  const session = await openSession(context, { config: configFile(context, `vaults: { ${paths} }\n`) });
  for (const vault of ['work', 'private']) assert.equal((await session.call('reindex', { vault })).isError, false);
  for (const [tool, given] of questionsAbout('Harbour', 'Salary')) {
    const { text } = await session.call(tool, { ...given, vault: 'work' });
    const asked = text.replaceAll(/zenobya|nightmare|drems|diarie/gi, '');
    assert.doesNotMatch(asked, PRIVATE_WORDS, `${tool} ${JSON.stringify(given)}`);
  }
  const { structured } = await session.call('search_text', { query: 'harbour zenobia' });
  assert.deepEqual(
    structured.data.hits.slice(0, 2).map(({ vault, path }: { vault: string; path: string }) => [vault, path]),
    [
      ['work', 'Projects/Harbour.md'],
      ['private', 'Diary/Journal.md'],
    ],
  );
  const notes = ['work:Projects/Harbour.md', 'private:Diary/Journal.md'];
  const [listed, asText] = [
    await session.call('read_notes', { notes }),
    await session.call('read_notes', { notes: JSON.stringify(notes) }),
  ];
  assert.equal(listed.structured.data.succeeded.length, 2);
  assert.deepEqual(asText.structured.data, listed.structured.data, 'a list in text names its vaults, too');
  assert.doesNotMatch(session.stderr(), /zenobia|harbour/i);
});

test('each vault has a resource of what changed in it, and a subscription to it is about no other', async (context) => {
  const roots = { work: writeNotes(context, WORK), private: writeNotes(context, PRIVATE) };
  const paths = Object.entries(roots).map(([name, root]) => `${name}: { path: ${JSON.stringify(root)} }`);
  const { client, call } = await openSession(context, {
    config: configFile(context, `vaults: { ${paths.join(', ')} }\n`),
  });
  for (const vault of ['work', 'private']) assert.equal((await call('reindex', { vault })).isError, false);
  const uris = (await client.listResources()).resources.slice(0, 2).map(({ uri }) => uri);
  assert.deepEqual(
    uris,
    ['work', 'private'].map((vault) => `notes://${vault}/changed`),
  );
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  for (const uri of uris) await client.subscribeResource({ uri });
  writeFileSync(join(roots.private, 'Secret.md'), 'a secret\n');
  await until(() => heard.length > 0, 'the change is heard of');
  const changes = await Promise.all(uris.map((uri) => client.readResource({ uri })));
  const [work, secret] = changes.map(({ contents }) => JSON.parse((contents[0] as { text: string }).text).changes);
  assert.deepEqual([work, secret[0].path], [[], 'Secret.md']);
  assert.deepEqual(new Set(heard), new Set(['notes://private/changed']));
});
