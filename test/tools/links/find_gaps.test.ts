// find_gaps over a real vault: each kind checked by hand, paged to the end.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'Harbour.md': '---\naliases: [Old quay]\n---\nUnder the [[Light]].',
  'Light.md': 'By the old quay stands the Light, not a lighter. See [[Harbuor]].',
  'sub/Log.md': 'Went to the [[Harbour]]; the harbour was calm. `Light` [[Harbuor|typo]] [[Light]] [[zzzzzzzz]]',
  'sub/Lone.md': 'From the Harbour one sees the light. #Light',
  'Alone.md': '',
};

const LAST_SENTENCE = '`Light` [[Harbuor|typo]] [[Light]] [[zzzzzzzz]]';

test('unresolved: by name, most links first, each place with its sentence', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(findGaps, { kind: 'unresolved' });
    assert.deepEqual(answer.gaps, [
      {
        name: 'Harbuor',
        count: 2,
        suggestion: 'Harbour.md',
        suggested_by: 'near',
        places: [
          { path: 'Light.md', line: 1, column: 54, text: 'See [[Harbuor]].' },
          { path: 'sub/Log.md', line: 1, column: 56, text: LAST_SENTENCE },
        ],
      },
      { name: 'zzzzzzzz', count: 1, places: [{ path: 'sub/Log.md', line: 1, column: 83, text: LAST_SENTENCE }] },
    ]);
    assert.equal(answer.total, 2);
    const ofOne = await ask(findGaps, { kind: 'unresolved', note: 'Light' });
    assert.deepEqual([ofOne.total, ofOne.gaps[0].count], [1, 1]);
    assert.equal((await ask(findGaps, { kind: 'unresolved', folder: 'sub' })).gaps[0].count, 1);
  }));

test('unresolved: links to headings and blocks that their note does not have, with the nearest ones', () => {
  const links =
    '---\nup: "[[B#Nop]]"\n---\n[[B#Slope]] [[B#Slop]] [[b#slop]] [x](B.md#high-water) ![[B#^bl]] [[#Here]] [[#Hear]] [[B#Top#Slope]] [[B#Slope#Top]] [[B#]] [[p.pdf#page=3]] [[B#^BLK]]\n\n# Here\n';
  const card = (subpath: string) => `{"type":"file","file":"B.md","subpath":"${subpath}"}`;
  const files = {
    'A.md': links,
    'B.md': '# Top\n\n## Slope\n\n## High water\n\nx ^blk\n',
    'C.canvas': `{"nodes":[${card('#Slope')},${card('#Slpe')}]}`,
    'p.pdf': '',
  };
  return withTools(files, async (tools) => {
    const { ask } = tools;
    const { gaps, total } = await ask(findGaps, { kind: 'unresolved' });
    const shown = gaps.map(({ name, target, nearest, count, places }: Record<string, unknown>) => {
      const [{ path }] = places as [{ path: string }];
      return [name, target, nearest, count, path];
    });
    assert.deepEqual(shown, [
      ['A#Hear', 'A.md', ['#Here'], 1, 'A.md'],
      ['B#Nop', 'B.md', ['#Top'], 1, 'A.md'],
      ['B#Slop', 'B.md', ['#Slope'], 1, 'A.md'],
      ['B#Slope#Top', 'B.md', ['#Top'], 1, 'A.md'],
      ['B#Slpe', 'B.md', ['#Slope'], 1, 'C.canvas'],
      ['B#^bl', 'B.md', ['#^blk'], 1, 'A.md'],
      ['B#high-water', 'B.md', ['#High water'], 1, 'A.md'],
      ['B#slop', 'B.md', ['#Slope'], 1, 'A.md'],
    ]);
    assert.equal(total, 8);
    assert.deepEqual((await everyPage(tools, findGaps, { kind: 'unresolved' }, 'gaps', 3)).length, 8);
    assert.equal((await ask(findGaps, { kind: 'unresolved', note: 'C.canvas' })).total, 1);
    assert.deepEqual(tools.warnings, []);
  });
});

test('unresolved: the closest part is named however little it is alike, by a word of it, or with a # in it', () =>
  withTools(
    {
      'A.md': '[[B#Nope]] [[B#Betta]] [[B#^zz]] [[B#日]] [[B#Isue #42]] [[C#x]]\n',
      'B.md': '# Alpha beta\n\n## Gamma\n\n## Issue #42\n\nx ^blk\n',
      'C.md': 'no headings\n',
    },
    async ({ ask }) => {
      const { gaps } = await ask(findGaps, { kind: 'unresolved' });
      const nearest = gaps.map(({ name, nearest }: Record<string, unknown>) => [name, nearest]);
      assert.deepEqual(Object.fromEntries(nearest), {
        'B#Nope': ['#Gamma'],
        'B#Betta': ['#Alpha beta'],
        'B#^zz': ['#^blk'],
        'B#日': ['#Gamma'],
        'B#Isue #42': ['#Issue #42'],
        'C#x': [],
      });
    },
  ));

test('orphans and dead ends', () =>
  withTools({ ...FILES, 'End.md': '', 'sub/To.md': '[[End]]' }, async ({ ask, warnings }) => {
    const paths = async (kind: string, folder?: string) =>
      (await ask(findGaps, { kind, folder })).gaps.map(({ path }: { path: string }) => path);
    assert.deepEqual(await paths('orphans'), ['Alone.md', 'sub/Lone.md']);
    assert.deepEqual(await paths('orphans', 'sub'), ['sub/Lone.md']);
    assert.deepEqual(await paths('dead_ends'), ['End.md', 'Light.md']);
    assert.equal(warnings.length, 0);
    assert.deepEqual(await paths('orphans', 'nix'), []);
    assert.equal(warnings[0]?.code, 'FILTER_MATCHES_NOTHING');
  }));

test('unlinked mentions: of one note, or over the vault by the note they name', () =>
  withTools(FILES, async ({ ask }) => {
    const places = async (input: object) =>
      (await ask(findGaps, { kind: 'unlinked_mentions', ...input })).gaps.map(
        ({ mentions, path, column, mention }: Record<string, unknown>) => [mentions, path, column, mention],
      );
    const ofHarbour = [
      ['Harbour.md', 'Light.md', 8, 'old quay'],
      ['Harbour.md', 'sub/Lone.md', 10, 'Harbour'],
    ];
    const ofLight = [['Light.md', 'sub/Lone.md', 31, 'light']];
    assert.deepEqual(await places({ note: 'Harbour' }), ofHarbour);
    assert.deepEqual(await places({ note: 'Light' }), ofLight);
    assert.deepEqual(await places({}), [...ofHarbour, ...ofLight]);
    assert.deepEqual(await places({ folder: 'sub' }), [ofHarbour[1], ...ofLight]);
    const { gaps, more } = await ask(findGaps, { kind: 'unlinked_mentions', note: 'Light' });
    assert.equal(gaps[0].text, 'From the Harbour one sees the light.');
    assert.equal(more, false);
  }));

test('paging returns every gap once', () => {
  const mentions = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`m${at}.md`, 'Topic one. Topic two. [[none]]']),
  );
  return withTools({ ...mentions, 'Topic.md': '', 'Topic one.md': '[[nix]]' }, async (under) => {
    for (const [kind, total] of [
      ['unlinked_mentions', 27],
      ['orphans', 11],
      ['unresolved', 2],
    ] as const) {
      const whole = await under.ask(findGaps, { kind, limit: 100 });
      assert.equal(whole.gaps.length, total, kind);
      for (const limit of [1, 4])
        assert.deepEqual(await everyPage(under, findGaps, { kind }, 'gaps', limit), whole.gaps);
    }
  });
});

test('the work of one call is bounded, and later pages continue', () => {
  const notes = Object.fromEntries(Array.from({ length: 620 }, (_, at) => [`note ${at}x.md`, '']));
  return withTools({ ...notes, 'zz.md': 'the note 619x is here' }, async (under) => {
    const first = await under.ask(findGaps, { kind: 'unlinked_mentions' });
    assert.equal(first.more, true);
    assert.ok(first.next_cursor);
    const all = await everyPage(under, findGaps, { kind: 'unlinked_mentions' }, 'gaps', 10);
    assertEach(all, ({ path, mentions }) => [path, mentions], [['zz.md', 'note 619x.md']]);
  });
});

test('refusals', () =>
  withTools({ ...FILES, 'x/Log.md': '' }, async ({ ask, refusal, folder, warnings }) => {
    await refusal(findGaps, { kind: 'unresolved', note: 'Nix' }, 'NOTE_NOT_FOUND');
    await refusal(findGaps, { kind: 'unresolved', note: 'Log' }, 'NOTE_AMBIGUOUS');
    await refusal(findGaps, { kind: 'unresolved', folder: '../x' }, 'PATH_NOT_ALLOWED');
    await refusal(findGaps, { kind: 'orphans', note: 'Light' }, 'INVALID_INPUT');
    const { next_cursor: cursor } = await ask(findGaps, { kind: 'unresolved', limit: 1 });
    await refusal(findGaps, { kind: 'orphans', cursor }, 'INVALID_INPUT');
    folder.remove('sub/Lone.md');
    await ask(findGaps, { kind: 'unlinked_mentions', note: 'Light' });
    assertEach(warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
    folder.vanish();
    await refusal(findGaps, { kind: 'unresolved' }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));

const TEXT = 'The ferry leaves the old harbour at nine and comes back with the evening tide when the light is lit.\n';
const SECOND =
  'Nobody waits on the quay after that, because the keeper locks the gate and walks home along the wall.\n';

test('duplicates: notes with nearly the same text, with the lines that they share', () =>
  withTools(
    {
      'A.md': `---\ntitle: one\n---\n# Ferry\n\n${TEXT}${SECOND}`,
      'sub/B.md': `# Ferry\n\n${TEXT}${SECOND}\nSeen twice.`,
      'C.md': 'The keeper writes of lamps, oil and glass, and of a winter in which no ship came near the rocks.',
      'Short.md': 'one two',
      'Brief.md': 'one two',
    },
    async ({ ask, folder, run }) => {
      const { gaps, total } = await ask(findGaps, { kind: 'duplicates' });
      assert.equal(total, 1);
      const [{ overlap, ...group }] = gaps;
      const shared = [SECOND.trim(), TEXT.trim()];
      assert.deepEqual(group, { notes: ['A.md', 'sub/B.md'], count: 2, shared });
      assert.ok(overlap > 0.8 && overlap < 1);
      assert.equal((await ask(findGaps, { kind: 'duplicates', folder: 'sub' })).total, 0);
      folder.put('sub/B.md', 'Rewritten.');
      await run();
      assert.equal((await ask(findGaps, { kind: 'duplicates' })).total, 0);
    },
  ));

test('stale: not changed since a day, and not linked from a note that was', () =>
  withTools(
    { 'Old.md': '', 'Older.md': '[[Old]]', 'Kept.md': '', 'New.md': '[[Kept]]' },
    async ({ ask, folder, run }) => {
      for (const [at, path] of ['Older.md', 'Old.md', 'Kept.md'].entries())
        utimesSync(join(folder.root, path), new Date(2020, 0, at + 1), new Date(2020, 0, at + 1));
      await run();
      const stale = await ask(findGaps, { kind: 'stale', before: '2024-05' });
      assertEach(stale.gaps, ({ path }: { path: string }) => path, ['Older.md', 'Old.md']);
      assert.equal(stale.gaps[0].modified, new Date(2020, 0, 1).toISOString());
      assert.equal((await ask(findGaps, { kind: 'stale', before: '2020-01-02' })).total, 1);
      await assert.rejects(ask(findGaps, { kind: 'stale' }), { code: 'INVALID_INPUT' });
      await assert.rejects(ask(findGaps, { kind: 'orphans', before: '2020' }), { code: 'INVALID_INPUT' });
      await assert.rejects(ask(findGaps, { kind: 'stale', before: 'soon' }), /before/);
    },
  ));

test('unused attachments', () =>
  withTools(
    { 'Note.md': '![[used.png]]', 'used.png': 'x', 'unused.pdf': 'xy', 'sub/other.png': '' },
    async ({ ask }) => {
      const { gaps, total } = await ask(findGaps, { kind: 'unused_attachments' });
      assert.equal(total, 2);
      const shown = gaps.map(({ path, type, size_bytes }: Record<string, unknown>) => [path, type, size_bytes]);
      assert.deepEqual(shown, [
        ['sub/other.png', 'png', 0],
        ['unused.pdf', 'pdf', 2],
      ]);
      assert.equal((await ask(findGaps, { kind: 'unused_attachments', folder: 'sub' })).total, 1);
    },
  ));
