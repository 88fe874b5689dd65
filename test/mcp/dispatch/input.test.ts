// Tests argument validation and its error messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { parseInput } from '../../../src/mcp/dispatch/arguments.ts';
import { echo, print } from '../test-tools.ts';

const LIMITS = { batch: 50, text: 1_000_000 };

function refusalOf(given: unknown): VaultgraphError {
  try {
    parseInput(echo, given, LIMITS);
  } catch (thrown) {
    assert.ok(thrown instanceof VaultgraphError, String(thrown));
    return thrown;
  }
  assert.fail('the arguments were taken');
}

function issuesOf(given: unknown): VaultgraphError<'INVALID_INPUT'>['details']['issues'] {
  const error = refusalOf(given) as VaultgraphError<'INVALID_INPUT'>;
  assert.equal(error.code, 'INVALID_INPUT');
  assert.deepEqual(error.details.accepted, ['text', 'limit', 'sort', 'tags', 'where', 'page']);
  return error.details.issues;
}

test('absent arguments are an empty object, and defaults are filled in', () => {
  for (const none of [undefined, null]) assert.deepEqual(parseInput(print, none, LIMITS).input, {});
  assert.deepEqual(parseInput(echo, { text: 'a' }, LIMITS).input, { text: 'a', limit: 10 });
});

test('M3: an unknown argument is refused by name, with the nearest valid one', () => {
  assert.deepEqual(issuesOf({ text: 'a', limt: 5 }), [
    { path: 'limt', rule: 'unknown argument', did_you_mean: 'limit' },
  ]);
  assert.deepEqual(issuesOf({ text: 'a', page: { sise: 5 } }), [
    { path: 'page.sise', rule: 'unknown argument', accepted: ['size'], did_you_mean: 'size' },
  ]);
  assert.deepEqual(issuesOf({ text: 'a', zzzzzzzz: 5 }), [{ path: 'zzzzzzzz', rule: 'unknown argument' }]);
  assert.match(refusalOf({ text: 'a', limt: 5 }).hint, /`limit`/);
  assert.match(refusalOf({ text: 'a', page: { sise: 5 } }).hint, /`page` accepts `size`/);
  assert.doesNotMatch(refusalOf({ text: 'a', page: { size: 'x' } }).hint, /It accepts/);
  const both = refusalOf({ text: 'a', zz: 1, page: { sise: 5 } }).hint;
  assert.match(both, /`page` accepts `size`\. It accepts `text`/);
});

test('M3: errors of wrong values have the path, the allowed values and the received one', () => {
  assert.deepEqual(issuesOf({}), [{ path: 'text', rule: 'is missing' }]);
  assert.deepEqual(issuesOf({ text: 'a', limit: 'five' }), [
    { path: 'limit', rule: 'must be a number', expected: 'a number', received: '"five"' },
  ]);
  assert.deepEqual(issuesOf({ text: 'a', limit: 101 }), [
    { path: 'limit', rule: 'must be at most 100', expected: 'at most 100', received: '101' },
  ]);
  assert.deepEqual(issuesOf({ text: 'a', limit: 1.5 })[0]?.rule, 'must be a whole number');
  assert.deepEqual(issuesOf({ text: null })[0]?.received, 'null');
  assert.deepEqual(issuesOf({ text: '' })[0]?.rule, 'must not be empty');
  assert.deepEqual(issuesOf({ text: 'a', tags: ['x', 'y', 'z'] })[0]?.rule, 'must have at most 2 items');
  assert.deepEqual(issuesOf({ text: 'a', sort: 'nam' }), [
    {
      path: 'sort',
      rule: 'must be one of name, modified',
      expected: 'name, modified',
      did_you_mean: 'name',
      received: '"nam"',
    },
  ]);
});

test('M3: a union error lists its forms, or the fault in the closest form', () => {
  assert.equal(issuesOf({ text: 'a', where: { due: null } })[0]?.rule, 'must be a string or a number or an object');
  assert.deepEqual(issuesOf({ text: 'a', where: { due: { above: 'x' } } })[0]?.path, 'where.due.above');
  assert.deepEqual(issuesOf({ text: 'a', where: { due: { abve: 1, above: 2 } } }), [
    { path: 'where.due.abve', rule: 'unknown argument', accepted: ['above'], did_you_mean: 'above' },
  ]);
});

test('M3: arguments that are not an object', () => {
  for (const given of [[], 'text', 5, true]) assert.equal(issuesOf(given)[0]?.rule, 'must be an object');
});

test('all faults are reported together, ten by name and the rest by count', () => {
  assert.equal(issuesOf({ limit: 0, sort: 5, nope: 1 }).length, 4);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, 1]));
  assert.deepEqual(issuesOf({ text: 'a', ...many }).at(-1), { path: '', rule: 'and 40 more' });
});

test('M3: nothing reaches a prototype', () => {
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const given = JSON.parse(`{"text":"a","where":{"${key}":{"above":1}}}`);
    assert.deepEqual(issuesOf(given), [{ path: `where.${key}`, rule: 'is not an allowed argument name' }]);
  }
  assert.equal(({} as { above?: number }).above, undefined);
});

test('M3: text that is not well-formed is refused, in values and in names', () => {
  assert.equal(issuesOf({ text: 'a\0b' })[0]?.rule, 'contains a NUL character');
  assert.match(issuesOf({ text: 'a\ud800' })[0]?.rule ?? '', /surrogate/);
  assert.match(issuesOf({ text: 'a', where: { 'x\udfff': 1 } })[0]?.rule ?? '', /surrogate/);
  assert.deepEqual(parseInput(echo, { text: '😀' }, LIMITS).input, { text: '😀', limit: 10 });
});

test('M3: too deep, too long and too many is LIMIT_EXCEEDED', () => {
  let deep: object = {};
  for (let level = 0; level < 50_000; level += 1) deep = { deep };
  for (const given of [
    { text: 'a', where: deep },
    { text: 'x'.repeat(1_000_001) },
    { text: 'a', tags: new Array(100_001).fill('') },
    { text: 'a', ['k'.repeat(1_000_001)]: 1 },
  ]) {
    const error = refusalOf(given);
    assert.equal(error.code, 'LIMIT_EXCEEDED');
    assert.ok(error.message.length < 300);
  }
});

test('any input is accepted or refused with a known error code', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (given) => {
      try {
        parseInput(echo, given, LIMITS);
      } catch (thrown) {
        assert.ok(thrown instanceof VaultgraphError);
        assert.ok(thrown.code === 'INVALID_INPUT' || thrown.code === 'LIMIT_EXCEEDED');
      }
    }),
  );
});

test('a list argument holds up to the configured number of items', () => {
  const tags = Array.from({ length: 51 }, (_, index) => `t${index}`);
  const error = refusalOf({ text: 'a', tags });
  assert.equal(error.code, 'LIMIT_EXCEEDED');
  assert.deepEqual(error.details, { field: 'the number of tags', limit: 50, actual: 51 });
});

test('a map argument holds as many entries as a list, however it is written', () => {
  const set = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`name${at}`, at]));
  const error = refusalOf({ text: 'a', set });
  assert.deepEqual(error.details, { field: 'the number of set', limit: 50, actual: 51 });
});

test('a filter by more properties than a statement of the store can hold is a limit, however it is written', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`name${at}`, at]));
  const operators = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`name${at}`, { gt: 1, lt: 2, ne: at }]));
  for (const where of [many, operators, JSON.stringify(many)]) {
    const { code, message, hint } = refusalOf({ text: 'a', where });
    assert.equal(code, 'LIMIT_EXCEEDED');
    assert.match(message, /the number of conditions in where is 1[02]\d, the limit is 100/);
    assert.match(hint, /fewer conditions/);
  }
  assert.doesNotThrow(() => parseInput(echo, { text: 'a', where: { a: { above: 1 } } }, LIMITS));
});
