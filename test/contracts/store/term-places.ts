// Contract tests of the fields in which terms occur, and of the terms of notes.
import assert from 'node:assert/strict';
import type { TextTerm } from '../../../src/contracts/text-query.ts';
import { asPath, asPaths, fill, type Law, remove, rewrite, signal } from './law.ts';

const term = (text: string, kind: TextTerm['kind'] = 'word', negated = false): TextTerm => ({ text, kind, negated });

export function termPlaceLaws(law: Law): void {
  law('each term is returned with its fields and notes, in the order of the request', async (store) => {
    await fill(store, {
      'Tide.md': '---\naliases: [Ebb water]\ntags: [sea]\n---\n# High water\nThe moon pulls. 海图很旧',
      'Moon.md': 'tide and moon',
      'Empty.md': '',
    });
    const requested = [
      term('tide'),
      term('water'),
      term('SEA'),
      term('moon'),
      term('high water', 'phrase'),
      term('pul', 'prefix'),
    ];
    assert.deepEqual(await store.termPlaces(asPath('Tide.md'), requested, signal), [
      { fields: ['title'], notes: 2 },
      { fields: ['aliases', 'headings'], notes: 1 },
      { fields: ['tags'], notes: 1 },
      { fields: ['body'], notes: 2 },
      { fields: ['headings'], notes: 1 },
      { fields: ['body'], notes: 1 },
    ]);
    const others = [term('海图'), term('nowhere'), term('moon', 'word', true), term('?!'), term('body : "moon" OR *')];
    assert.deepEqual(await store.termPlaces(asPath('Tide.md'), others, signal), [
      { fields: ['body'], notes: 1 },
      { fields: [], notes: 0 },
      { fields: ['body'], notes: 2 },
      { fields: [], notes: 0 },
      { fields: [], notes: 0 },
    ]);
    assert.deepEqual(await store.termPlaces(asPath('Empty.md'), [term('moon')], signal), [{ fields: [], notes: 2 }]);
    assert.deepEqual(await store.termPlaces(asPath('None.md'), [term('moon')], signal), [{ fields: [], notes: 2 }]);
  });

  law('the terms of a note are those of its last indexed text, and of notes and canvases only', async (store) => {
    const terms = async (...paths: string[]) => {
      const found = await store.termVectors(asPaths(...paths), signal);
      return Object.fromEntries([...found].map(([path, packed]) => [path, Buffer.from(packed).toString('hex')]));
    };
    await fill(store, {
      'A/Tide.md': 'moon',
      'B/Tide.md': 'bread',
      'C/Tide.md': 'moon',
      'Board.base': '{}',
      'X.png': null,
    });
    const all = await terms('A/Tide.md', 'B/Tide.md', 'C/Tide.md', 'Board.base', 'X.png', 'None.md');
    assert.deepEqual(Object.keys(all), ['A/Tide.md', 'B/Tide.md', 'C/Tide.md']);
    assert.equal(all['A/Tide.md'], all['C/Tide.md']);
    assert.notEqual(all['A/Tide.md'], all['B/Tide.md']);
    await rewrite(store, { 'A/Tide.md': 'bread' });
    await remove(store, 'B/Tide.md');
    assert.deepEqual(await terms('A/Tide.md', 'B/Tide.md'), { 'A/Tide.md': all['B/Tide.md'] });
    await store.reset(signal);
    assert.deepEqual(await terms('A/Tide.md', 'C/Tide.md'), {});
  });
}
