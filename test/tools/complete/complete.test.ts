// Completion: the order of values, their number, filtering by another argument, and that every value resolves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OfferUnderTest, sharedOffer, type Wire, withOffer } from '../../mcp/wire/offer-under-test.ts';

const FILES = {
  'Harbour.md':
    '---\naliases: [The quay, Kai]\ntags: [place/coast]\n---\n# Harbour\n## Berths\n## Weather\ntext ^outer\n',
  'Places/Harbour light.md': '# Harbour light\n#place/coast #light\n',
  'Places/Élan vital.md': '# Élan vital\n#Étude\n',
  'Places/Deep/Sea.md': '# Sea\n# Same\n# Same\n',
  'Twin.md': '# Twin\n# Here\n',
  'Log/Twin.md': '# Twin\n# There\n',
  'C# notes.md': '# C#\n',
  'A/Pair.md': '# One\n',
  'B/Pair.md': '# Two\n',
  'Straße.md': '# Straße\n',
  '日本語/ノート.md': '# ノート\n',
};

const note = { ref: { type: 'ref/prompt', name: 'connect_note' }, argument: 'note' };
const folder = { ref: { type: 'ref/prompt', name: 'daily_review' }, argument: 'folder' };
const tag = { ...folder, argument: 'tag' };
const path = { ref: { type: 'ref/resource', uri: 'note:///{+path}' }, argument: 'path' };

type Slot = typeof note | typeof path;

async function completed(
  { ask }: OfferUnderTest,
  slot: Slot,
  value: string,
  given?: Record<string, string>,
): Promise<Wire> {
  const context = given === undefined ? {} : { context: { arguments: given } };
  const { completion } = await ask('completion/complete', {
    ref: slot.ref,
    argument: { name: slot.argument, value },
    ...context,
  });
  assert.ok(completion.values.length <= 100);
  assert.ok(completion.total >= completion.values.length);
  assert.equal(completion.hasMore, completion.total > completion.values.length);
  return completion;
}

const reading = sharedOffer(FILES);

test('notes: exact matches first, then prefixes, then other matches, ignoring case and accents', () =>
  reading(async (under) => {
    const values = async (slot: Slot, typed: string): Promise<string[]> => (await completed(under, slot, typed)).values;
    assert.deepEqual(await values(note, 'harbour'), ['Harbour', 'Harbour light']);
    assert.deepEqual(await values(note, 'LIGHT'), ['Harbour light']);
    assert.deepEqual(await values(note, 'elan'), ['Élan vital']);
    assert.deepEqual(await values(note, 'ÉLAN V'), ['Élan vital']);
    assert.deepEqual(await values(note, 'ノー'), ['ノート']);
    assert.deepEqual(await values(note, 'the q'), ['The quay']);
    assert.deepEqual(await values(note, 'places/d'), ['Places/Deep/Sea.md']);
    assert.deepEqual(await values(note, 'twin'), ['Log/Twin.md', 'Twin.md'], 'a name of two notes is none');
    assert.deepEqual(await values(note, 'c# n'), ['C# notes.md'], 'a name that would be read as a heading is none');
    assert.deepEqual(await values(note, 'no such thing'), []);
    assert.deepEqual(await values(path, 'harb'), ['Harbour.md', 'Places/Harbour light.md']);
    assert.equal((await values(path, '')).length, Object.keys(FILES).length);
  }));

test('headings and blocks after Note#, unambiguous ones only', () =>
  reading(async (under) => {
    const values = async (typed: string): Promise<string[]> => (await completed(under, note, typed)).values;
    assert.deepEqual(await values('Harbour#'), [
      'Harbour#Harbour',
      'Harbour#Berths',
      'Harbour#Weather',
      'Harbour#^outer',
    ]);
    assert.deepEqual(await values('harbour#BER'), ['harbour#Berths']);
    assert.deepEqual(await values('The quay#^o'), ['The quay#^outer']);
    assert.deepEqual(await values('Sea#'), ['Sea#Sea'], 'what occurs twice is not an address');
    assert.deepEqual(await values('Twin#'), ['Twin#Twin', 'Twin#Here'], 'the path of one is the name of another');
    assert.deepEqual(
      await values('Pair#'),
      ['A/Pair.md#One', 'B/Pair.md#Two'],
      'a name of two notes gives way to paths',
    );
    assert.deepEqual(await values('Nobody#x'), []);
  }));

test('every completed note value is accepted by the tools', () =>
  reading(async (under) => {
    for (const typed of ['', 'a', 'Twin#', 'Harbour#', 'c#']) {
      for (const value of (await completed(under, note, typed)).values) {
        if (value === 'C# notes.md') continue;
        await under.prompt('explain_topic', { topic: 'harbour', note: value });
      }
    }
  }));

test('tags by frequency, folders by path or last segment, filtered by another argument', () =>
  reading(async (under) => {
    const values = async (slot: Slot, typed: string, given?: Record<string, string>): Promise<string[]> =>
      (await completed(under, slot, typed, given)).values;
    assert.deepEqual(await values(tag, ''), ['place', 'place/coast', 'light', 'Étude']);
    assert.deepEqual(await values(tag, '#pl'), ['place', 'place/coast']);
    assert.deepEqual(await values(tag, 'coast'), ['place/coast']);
    assert.deepEqual(await values(tag, 'etu'), ['Étude']);
    assert.deepEqual(await values(tag, 'l', { folder: 'Places/Deep' }), []);
    assert.deepEqual(await values(tag, 'pl', { folder: 'Places/' }), ['place', 'place/coast']);
    assert.deepEqual(await values(folder, ''), ['A', 'B', 'Log', 'Places', 'Places/Deep', '日本語']);
    assert.deepEqual(await values(folder, 'deep'), ['Places/Deep']);
    const inNote = { ref: { type: 'ref/prompt', name: 'fix_broken_links' }, argument: 'note' };
    assert.deepEqual(await values(inNote, '', { folder: 'Places' }), ['Sea', 'Harbour light', 'Élan vital']);
    assert.deepEqual(await values(inNote, '', { folder: 'Nowhere' }), []);
  }));

test('days, topics and unknown values', () =>
  reading(async (under) => {
    const day = { ...folder, argument: 'day' };
    const [first, second, third] = (await completed(under, day, '')).values;
    assert.deepEqual([first, second], ['today', 'yesterday']);
    assert.match(third, /^\d{4}-\d{2}-\d{2}$/);
    assert.deepEqual((await completed(under, day, 'yest')).values, ['yesterday']);
    const topic = { ref: { type: 'ref/prompt', name: 'explain_topic' }, argument: 'topic' };
    assert.deepEqual((await completed(under, topic, 'twin')).values, ['Twin']);
  }));

test('M2 M3 an invalid request is -32602 and lists the valid values', () =>
  reading(async ({ fault }) => {
    const argument = { name: 'note', value: '' };
    const cases: [unknown, RegExp, unknown?][] = [
      [undefined, /argument\.name/],
      [{}, /argument\.name/],
      [{ ref: note.ref, argument: { name: 'note' } }, /argument\.value/],
      [{ ref: note.ref, argument: { name: 'note', value: 7 } }, /argument\.value/],
      [{ argument }, /ref\.type/],
      [{ ref: { type: 'ref/tool', name: 'x' }, argument }, /ref\.type/],
      [{ ref: { type: 'ref/prompt', name: 'nope' }, argument }, /no prompt "nope"/],
      [{ ref: { type: 'ref/prompt' }, argument }, /no prompt/],
      [{ ref: { type: 'ref/prompt', name: { toString: 1 } }, argument }, /no prompt/],
      [{ ref: { type: 'ref/resource', uri: 'note:///a.md' }, argument }, /template/],
      [{ ref: note.ref, argument: { name: 'notes', value: '' } }, /no argument "notes"/, 'note'],
    ];
    for (const [params, message, meant] of cases) {
      const found = await fault('completion/complete', params as Record<string, unknown>);
      assert.equal(found.code, -32602);
      assert.match(found.message, message);
      assert.equal(found.data?.did_you_mean, meant);
    }
    const long = await fault('completion/complete', {
      ref: note.ref,
      argument: { name: 'note', value: 'x'.repeat(1_001) },
    });
    assert.deepEqual([long.code, long.data.code], [-32602, 'INVALID_INPUT']);
    const deep = await fault('completion/complete', {
      ...note,
      argument,
      context: { arguments: { folder: 'x'.repeat(2_000) } },
    });
    assert.equal(deep.code, -32602);
  }));

test('many notes: at most 100 values with the full count, also right after a change', () => {
  const many = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`F${at % 40}/Note ${at}.md`, `# Note ${at}\n#t${at % 500}\n`]),
  );
  return withOffer(many, async (under) => {
    const all = await completed(under, note, 'note');
    assert.deepEqual([all.values.length, all.total, all.hasMore], [100, 3_000, true]);
    const some = await completed(under, note, 'note 29');
    assert.deepEqual([some.values[0], some.total], ['Note 29', 111]);
    assert.equal((await completed(under, tag, 't')).total, 500);
    assert.equal((await completed(under, folder, '')).values.length, 40);
    under.folder.put('F0/Brand new.md', '# Brand new\n');
    await under.run();
    assert.deepEqual((await completed(under, note, 'brand')).values, ['Brand new']);
    under.folder.remove('F0/Brand new.md');
    await under.run();
    assert.deepEqual((await completed(under, note, 'brand')).values, []);
  });
});

test('S13 without an index a completion is a typed failure', () =>
  withOffer(
    FILES,
    async ({ fault }) => {
      const { code, data } = await fault('completion/complete', {
        ref: note.ref,
        argument: { name: 'note', value: 'h' },
      });
      assert.deepEqual([code, data.code], [-32603, 'INDEX_EMPTY']);
    },
    { indexed: false },
  ));
