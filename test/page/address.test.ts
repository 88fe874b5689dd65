// Tests the address of the view: what is set comes back, and what is wrong is as at first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, viewOf } from '../../src/page/address.ts';
import { FIRST_VIEW, type ViewState } from '../../src/page/view-state.ts';
import { assertEach } from '../assert-each.ts';

const SET: ViewState = {
  ...FIRST_VIEW,
  ...{
    selected: 'Übung & #1?.md',
    subpath: '#A heading',
    folder: 'a/b',
    tag: '#x/y',
    until: '2024-02-29',
    colour: '0',
  },
  ...{ colourBy: 'query', sizeBy: 'degree', queries: ['tag:#a -b', ''], marked: ['a=b.md', 'c+d.md'] },
  ...{
    chain: ['One.md', 'Two.md'],
    depth: 3,
    local: true,
    wide: true,
    list: true,
    changes: true,
    unresolved: true,
    orphans: false,
  },
};

test('the first view has an empty address, and every part of another one comes back from its address', () => {
  assert.equal(addressOf(FIRST_VIEW), '#');
  assert.deepEqual({ ...FIRST_VIEW, ...viewOf(addressOf(SET)) }, SET);
  const first = viewOf('#');
  assert.deepEqual(viewOf('#/timeline'), viewOf('#changes=1'));
  assert.deepEqual({ ...SET, ...first }, { ...FIRST_VIEW, ...first }, 'what an address leaves out is as at first');
});

test('what the pointer does and what is asked for is not part of the address', () => {
  const passing = { hovered: 'One.md', cursor: 'Two.md', pathFrom: 'Three.md' };
  assert.equal(addressOf({ ...SET, ...passing }), addressOf(SET));
});

test('a wrong value is as at first', () => {
  const { depth, colourBy, sizeBy } = viewOf('#depth=2.5&colourBy=constructor&sizeBy=<b>');
  assert.deepEqual([depth, colourBy, sizeBy], [FIRST_VIEW.depth, 'group', 'rank']);
  assertEach(['0', '99', '-1'], (one) => viewOf(`#depth=${one}`).depth, [1, 5, 1]);
});
