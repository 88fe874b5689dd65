// Tests that vectors of chunks by older rules serve until a caller asks for new ones.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { chunkerName } from '../../../src/markdown/chunk/embedded-text.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { fillVectors } from '../../features/fill-vectors.ts';
import { signal } from '../index-under-test.ts';
import {
  activeGeneration,
  type EmbeddingUnderTest,
  embedded,
  endedWith,
  fillNotes,
  generationOf,
  REINDEX,
  succeeded,
} from './embedding-under-test.ts';

const OLDER = 'headings-1/450';

/** A vault of 20 notes with the vectors that an older version made. `before`: the number of texts sent until then. */
async function filledBefore({ folder, store, vault, fake, embed, sent }: EmbeddingUnderTest) {
  fillNotes(folder, 20);
  await embed();
  // The second takes the place of the first, which no generation of present rules survives.
  for (const chunker of ['headings-1/225', OLDER]) {
    await fillVectors({ store, vault }, fake.provider, { fingerprint: { chunker, rates: {} } });
  }
  const old = await activeGeneration(store);
  assert.equal(old.fingerprint.chunker, OLDER);
  return { old, before: sent().length };
}

describe('vectors of chunks by older rules', () => {
  embedded('are kept, and kept up to date by their own rules, by whole and other jobs', async (under) => {
    const { folder, store, embed, sent } = under;
    const { old, before } = await filledBefore(under);
    folder.put('area 0/New.md', '**new** words\n');
    succeeded(await embed({ kind: 'notes', paths: ['area 0/New.md'] as never }));
    succeeded(await embed());
    folder.put('area 0/New.md', '**newer** words\n');
    succeeded(await embed());
    assert.deepEqual(sent().slice(before), ['New\n\n**new** words', 'New\n\n**newer** words']);
    const { id, pending, embedded: notes } = await activeGeneration(store);
    assert.deepEqual([id, pending, notes, (await store.generations(signal)).length], [old.id, 0, 21, 2]);
  });

  embedded('are replaced once a caller asks for it, also if that job is interrupted', async (under) => {
    const { folder, store, embed, fake } = under;
    const { old } = await filledBefore(under);
    fake.failNextEmbed(undefined, providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' }));
    endedWith(await embed(REINDEX), 'interrupted', 'PROVIDER_UNAVAILABLE');
    assert.equal((await activeGeneration(store)).id, old.id);
    folder.put('New.md', '**new**\n');
    succeeded(await embed());
    const { fingerprint, embedded: notes } = await activeGeneration(store);
    assert.deepEqual([fingerprint.chunker, notes], [chunkerName(fake.provider.contextTokens), 21]);
    assert.equal((await generationOf(store, 'previous'))?.id, old.id);
  });

  embedded('are replaced when the model is another one too', async (under) => {
    const { store, embed, fake } = under;
    await filledBefore(under);
    fake.become({ model: 'other' });
    succeeded(await embed());
    const { fingerprint } = await activeGeneration(store);
    assert.deepEqual([fingerprint.model, fingerprint.chunker], ['other', chunkerName(fake.provider.contextTokens)]);
  });
});
