// Contract tests of the fields in which terms occur.
import assert from 'node:assert/strict';
import type { TextTerm } from '../../../src/contracts/store.ts';
import { asPath, fill, type Law, signal } from './law.ts';

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
}
