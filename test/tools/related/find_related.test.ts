// find_related over a real vault: similar notes by words, with correct evidence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { findRelated } from '../../../src/tools/related/find_related.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'Tide.md': '# Tide\n\nThe tide rises with the moon. A neap tide is low. [[Moon]] [[Almanac]] #sea\n',
  'Harbour.md': 'Boats rest.\nAt low tides the neap mud shows. See [[Almanac]]. #sea #boats\n',
  'Moon.md': 'The moon pulls at every tide.\n',
  'Almanac.md': 'Sunrise and sunset.\n',
  'Index.md': '[[Tide]] [[Harbour]]\n',
  'Links.md': '[[Tide|neap tide moon]] [neap](Moon.md)\n',
  'Bread.md': 'Flour, water and salt make a loaf.\n',
  'Books.base': 'views: []',
  'Board.canvas':
    '{"nodes":[{"id":"1","type":"text","text":"neap tide moon","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
};
const paths = (answer: { related: { path: string }[] }) => answer.related.map(({ path }) => path);

interface Evidence {
  readonly kind: string;
  readonly path: string;
  readonly lines: [number, number];
  readonly text: string;
  readonly terms: string[];
  readonly tags: string[];
  readonly paths: string[];
}

function kinds(evidence: readonly Evidence[]): Map<string, Evidence[]> {
  return Map.groupBy(evidence, ({ kind }) => kind);
}

test('notes with the same distinctive words, with evidence for each', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    const answer = await ask(findRelated, { note: 'tide' });
    assert.deepEqual([answer.path, answer.match], ['Tide.md', 'case']);
    assert.match(answer.method, /tf-idf/);
    assert.match(answer.method, /lexical/);
    // A note that only links and a note about something else are not related.
    assert.deepEqual(new Set(paths(answer)), new Set(['Board.canvas', 'Harbour.md', 'Moon.md']));
    const harbour = answer.related.find(({ path }: { path: string }) => path === 'Harbour.md');
    assert.equal(harbour.linked, false);
    assert.equal(harbour.title, undefined);
    assert.ok(harbour.score > 0 && harbour.score < 1);
    const found = kinds(harbour.evidence);
    const [other, own] = found.get('text') ?? [];
    assert.deepEqual(
      [other?.path, other?.lines, other?.text],
      ['Harbour.md', [2, 2], 'At low tides the neap mud shows.'],
    );
    assert.deepEqual([own?.path, own?.lines, own?.text], ['Tide.md', [3, 3], 'A neap tide is low.']);
    assert.ok(found.get('terms')?.[0]?.terms.includes('neap'));
    assert.deepEqual(found.get('tags')?.[0]?.tags, ['#sea']);
    assert.deepEqual(found.get('links_to')?.[0]?.paths, ['Almanac.md']);
    assert.deepEqual(found.get('linked_from')?.[0]?.paths, ['Index.md']);
    assert.equal(answer.related.find(({ path }: { path: string }) => path === 'Moon.md').linked, true);
    assert.deepEqual(warnings, []);
  }));

test('every sentence is on the given lines', () =>
  withTools(FILES, async ({ ask }) => {
    for (const note of ['Tide', 'Harbour', 'Moon']) {
      for (const { evidence } of (await ask(findRelated, { note })).related) {
        for (const { path, lines, text } of kinds(evidence).get('text') ?? []) {
          const written = FILES[path as keyof typeof FILES];
          const { starts, ends } = splitLines(written);
          assert.ok(written.slice(starts[lines[0] - 1], ends[lines[1] - 1]).includes(text), `${path} ${text}`);
        }
      }
    }
  }));

test('unlinked_only, filters and pages', () =>
  withTools(FILES, async (under) => {
    const { ask, warnings } = under;
    assert.deepEqual(paths(await ask(findRelated, { note: 'Tide', unlinked_only: true })), [
      'Harbour.md',
      'Board.canvas',
    ]);
    assert.deepEqual(paths(await ask(findRelated, { note: 'Tide', tags: ['boats'] })), ['Harbour.md']);
    assert.deepEqual(paths(await ask(findRelated, { note: 'Tide', folder: 'Nix' })), []);
    assertEach(warnings, ({ code }) => code, ['FILTER_MATCHES_NOTHING']);
    const all = await everyPage(under, findRelated, { note: 'Tide' }, 'related', 1);
    assert.deepEqual(paths({ related: all }), paths(await ask(findRelated, { note: 'Tide' })));
  }));

test('Chinese, Japanese and Korean texts are compared by pairs of characters', () =>
  withTools(
    {
      '潮汐.md': '潮汐随月亮涨落，小潮很低。',
      '港口.md': '港口的船等待小潮。',
      '面包.md': '面粉、水和盐。',
      '바다.md': '바다의 조석은 달을 따른다.',
      '달.md': '달과 조석 이야기.',
    },
    async ({ ask }) => {
      assert.deepEqual(paths(await ask(findRelated, { note: '潮汐' })), ['港口.md']);
      assert.deepEqual(paths(await ask(findRelated, { note: '바다' })), ['달.md']);
    },
  ));

test('evidence names the words of the language, not pairs of letters', () =>
  withTools(
    {
      'A.md': '東京の港で新しい潮汐表を使って、船の入港時刻を計算した。',
      'B.md': '潮汐表は港の管理者が発行する。入港時刻の計算に使う。',
      'C.md': 'ฉันคิดว่าน้ำขึ้นน้ำลงเกิดจากดวงจันทร์',
      'D.md': 'ดวงจันทร์ทำให้น้ำขึ้น',
      'E.md': '바다에서 조석표를 보았다.',
      'F.md': '바다는 넓다. 조석표가 필요하다.',
    },
    async ({ ask }) => {
      const words: Readonly<Record<string, readonly string[]>> = {
        A: ['潮汐', '入港', '時刻', '計算'],
        C: ['น้ำ', 'ขึ้น', 'ดวง', 'จันทร์'],
        E: ['바다', '조석표'],
      };
      for (const [note, expected] of Object.entries(words)) {
        const { related } = await ask(findRelated, { note });
        assert.deepEqual(kinds(related[0].evidence).get('terms')?.[0]?.terms.toSorted(), expected.toSorted(), note);
      }
    },
  ));

test('a note without words has no related notes; an unreadable note is left out and counted', () =>
  withTools({ ...FILES, 'Empty.md': '', 'Signs.md': '[[Tide]] !!!' }, async ({ ask, folder, warnings }) => {
    assert.deepEqual(paths(await ask(findRelated, { note: 'Empty' })), []);
    assert.deepEqual(paths(await ask(findRelated, { note: 'Signs' })), []);
    folder.remove('Harbour.md');
    assert.deepEqual(paths(await ask(findRelated, { note: 'Tide' })), ['Moon.md', 'Board.canvas']);
    assertEach(warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
  }));

test('refusals', () =>
  withTools(FILES, async ({ refusal, ask, folder }) => {
    await refusal(findRelated, { note: 'Nowhere' }, 'NOTE_NOT_FOUND');
    await refusal(findRelated, { note: '../x' }, 'PATH_NOT_ALLOWED');
    await refusal(findRelated, { note: 'Books.base' }, 'INVALID_INPUT');
    await refusal(findRelated, { note: 'Tide', since: 'some day' }, 'INVALID_QUERY');
    const { related } = await ask(findRelated, { note: 'Tide', since: 'yesterday' });
    assert.ok(related.length > 0 && related.every((note: { dated_by?: string }) => note.dated_by === 'modified'));
    const { next_cursor: cursor } = await ask(findRelated, { note: 'Tide', limit: 1 });
    await refusal(findRelated, { note: 'Moon', cursor }, 'INVALID_INPUT');
    folder.remove('Tide.md');
    await refusal(findRelated, { note: 'Tide' }, 'FILE_UNREADABLE');
  }));

test('stop words are not evidence, even with few notes', () =>
  withTools(
    {
      'One.md': 'The pier is where we were when it was over, and there is a lantern.\n',
      'Two.md': 'There is a lantern by the door when we are over there.\n',
      'Three.md': 'When we were over there, it is the bread that was warm.\n',
      '一.md': '这是我的灯塔，在海边。',
      '二.md': '我的灯塔在哪里。',
      '三.md': '这是我的面包。',
    },
    async ({ ask }) => {
      const answer = await ask(findRelated, { note: 'One' });
      assert.deepEqual(paths(answer), ['Two.md']);
      assert.deepEqual(kinds(answer.related[0].evidence).get('terms')?.[0]?.terms, ['lantern']);
      const chinese = await ask(findRelated, { note: '一' });
      assert.deepEqual(paths(chinese), ['二.md']);
      assert.deepEqual(kinds(chinese.related[0].evidence).get('terms')?.[0]?.terms, ['灯塔']);
    },
  ));
