// The common filter arguments: the resulting filter and the errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { argumentIssues } from '../../../src/mcp/dispatch/arguments.ts';
import { filterShape, noteFilter } from '../../../src/tools/notes/filters.ts';

const schema = z.strictObject(filterShape);
const filterOf = (given: object) => noteFilter(schema.parse(given));
const refusesWith = (code: string) => (thrown: unknown) => (thrown as { code?: string }).code === code;

test('no arguments give an empty filter', () => {
  assert.deepEqual(filterOf({}), {});
});

test('a folder is normalized to a vault-relative path', () => {
  for (const folder of ['Places', 'Places/', './Places', 'Places//']) {
    assert.deepEqual(filterOf({ folder }), { folder: 'Places' }, folder);
  }
  for (const folder of ['', '.', '/', './']) assert.deepEqual(filterOf({ folder }), {}, folder);
  assert.deepEqual(filterOf({ folder: 'Cafe\u0301/a' }), { folder: 'Café/a' });
});

test('a folder that is outside the vault, hidden or absolute is rejected', () => {
  for (const folder of ['..', 'a/../../b', '/etc', 'C:\\x', 'a\\..\\b', 'a\0', '.obsidian', 'a/.trash']) {
    assert.throws(() => filterOf({ folder }), refusesWith('PATH_NOT_ALLOWED'), folder);
  }
});

test('tags are accepted with and without #', () => {
  assert.deepEqual(filterOf({ tags: ['a/b', '#c', 'd/'], tag_mode: 'all' }), {
    tags: ['#a/b', '#c', '#d'],
    tagMode: 'all',
  });
  for (const tags of [[], [''], ['#'], [1]]) assert.equal(schema.safeParse({ tags }).success, false);
});

test('properties: a value, or operators that must all match', () => {
  const where = { status: 'open', rank: { gte: 2, lt: 5 }, done: false, due: null, owner: { exists: true } };
  assert.deepEqual(filterOf({ where }).where, [
    { name: 'status', operator: 'eq', value: 'open' },
    { name: 'rank', operator: 'gte', value: 2 },
    { name: 'rank', operator: 'lt', value: 5 },
    { name: 'done', operator: 'eq', value: false },
    { name: 'due', operator: 'eq', value: null },
    { name: 'owner', operator: 'exists', value: true },
  ]);
});

test('conditions as texts mean the same as conditions by name', () => {
  const cases: readonly [string, unknown][] = [
    ['status = open', { status: 'open' }],
    ['status=open', { status: 'open' }],
    ['status == "open"', { status: 'open' }],
    ['rating >= 4', { rating: { gte: '4' } }],
    ['rating<5', { rating: { lt: '5' } }],
    ['due <= 2026-12-01', { due: { lte: '2026-12-01' } }],
    ['mood != good', { mood: { ne: 'good' } }],
    ['author contains Ada Lovelace', { author: { contains: 'Ada Lovelace' } }],
    ['due exists', { due: { exists: true } }],
    ['date finished missing', { 'date finished': { exists: false } }],
    ['title = what it contains > 3', { title: 'what it contains > 3' }],
    ['x<y = 3', { 'x<y': '3' }],
    ['"a = b" = 3', { '"a': 'b" = 3' }],
    ['名前 = 海', { 名前: '海' }],
    ['empty = ""', { empty: '' }],
    ['status = exists', { status: 'exists' }],
  ];
  for (const [text, where] of cases) assert.deepEqual(filterOf({ where: [text] }), filterOf({ where }), text);
  assert.deepEqual(filterOf({ where: ['tags contains a', 'tags contains b'] }).where, [
    { name: 'tags', operator: 'contains', value: 'a' },
    { name: 'tags', operator: 'contains', value: 'b' },
  ]);
  for (const bad of ['status', '= open', '', 'contains Ada', 'a ~ b'])
    assert.equal(schema.safeParse({ where: [bad] }).success, false, bad);
});

test('an invalid condition is rejected with the name of its property', () => {
  for (const bad of [{ like: 'x' }, [], {}, { gt: true }, { exists: 'yes' }, undefined]) {
    const where = { status: bad };
    const issues = argumentIssues(schema, schema.safeParse({ where }, { reportInput: true }).error?.issues ?? []);
    assert.deepEqual(issues[0]?.path, 'where.status', JSON.stringify(bad));
  }
});

test('times become milliseconds, `until` exclusive', () => {
  const filter = filterOf({ since: '2026-11-19', until: '2026-11-20' });
  assert.deepEqual(filter, {
    sinceMs: new Date(2026, 10, 19).getTime(),
    untilMs: new Date(2026, 10, 21).getTime(),
  });
  assert.throws(() => filterOf({ since: 'soon' }), refusesWith('INVALID_QUERY'));
});
