// Dates in filters: what they mean on this machine's clock, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { parseMoment } from '../../src/queries/moment.ts';

const NOW = new Date(2026, 10, 20, 15, 30);
const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).getTime();

test('a day begins where it is `since` and ends where it is `until`', () => {
  const cases: [string, number, number][] = [
    ['2026-11-20', local(2026, 10, 20), local(2026, 10, 21)],
    ['2026-12-31', local(2026, 11, 31), local(2027, 0, 1)],
    ['today', local(2026, 10, 20), local(2026, 10, 21)],
    ['yesterday', local(2026, 10, 19), local(2026, 10, 20)],
    [' today ', local(2026, 10, 20), local(2026, 10, 21)],
  ];
  for (const [text, since, until] of cases) {
    assert.equal(parseMoment(text, 'since', NOW), since, text);
    assert.equal(parseMoment(text, 'until', NOW), until, text);
  }
});

test('a moment is itself on both sides', () => {
  const cases: [string, number][] = [
    ['2026-11-20T09:30', local(2026, 10, 20, 9, 30)],
    ['2026-11-20 09:30:00', local(2026, 10, 20, 9, 30)],
    ['2026-11-20T09:30:00.250Z', Date.UTC(2026, 10, 20, 9, 30, 0, 250)],
    ['2026-11-20T09:30+02:00', Date.UTC(2026, 10, 20, 7, 30)],
    ['12h', local(2026, 10, 20, 3, 30)],
    ['7d', local(2026, 10, 13, 15, 30)],
    ['2w', local(2026, 10, 6, 15, 30)],
    ['3m', local(2026, 7, 20, 15, 30)],
    ['1y', local(2025, 10, 20, 15, 30)],
  ];
  for (const [text, expected] of cases) {
    assert.equal(parseMoment(text, 'since', NOW), expected, text);
    assert.equal(parseMoment(text, 'until', NOW), expected, text);
  }
});

test('what is no date is refused with field and position', () => {
  const cases: [string, number][] = [
    ['soon', 0],
    ['', 0],
    ['2026-1-2', 0],
    ['2026-02-30', 5],
    ['2026-13-01', 5],
    ['2026-11-20T24:10', 11],
    ['2026-11-20T09:30+99:00', 16],
    ['7 days', 0],
    ['-7d', 0],
  ];
  for (const [text, position] of cases) {
    assert.throws(
      () => parseMoment(text, 'until', NOW),
      (thrown) => {
        assert.ok(thrown instanceof VaultgraphError, text);
        assert.equal(thrown.code, 'INVALID_QUERY');
        assert.deepEqual(
          { ...(thrown as VaultgraphError<'INVALID_QUERY'>).details, reason: '' },
          { field: 'until', position, reason: '' },
          text,
        );
        return true;
      },
    );
  }
});
