// Tests dates of notes from properties and file names, in common notations.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Properties } from '../../../src/base/note.ts';
import { DATE_PROPERTIES, localDate, nameDate, noteDate } from '../../../src/markdown/dates/note-date.ts';

const named = (path: string): string | undefined => nameDate(path)?.date;
const valued = (value: Properties[string]): string | undefined => noteDate('a.md', { date: value })?.date;

suite('the date in a name', () => {
  const NAMES: readonly [string, string | undefined][] = [
    ['2026-11-20', '2026-11-20'],
    ['journal/2026_11_20', '2026-11-20'],
    ['20261120', '2026-11-20'],
    ['2026.11.20 Call', '2026-11-20'],
    ['Call with Ebb 2026-11-20', '2026-11-20'],
    ['IMG_20261120_153012', '2026-11-20T15:30:12'],
    ['202611201530 Zettel', '2026-11-20T15:30'],
    ['20261120153012', '2026-11-20T15:30:12'],
    ['2026-11-20 1530 Call', '2026-11-20T15:30'],
    ['2026-11-20 15.30', '2026-11-20T15:30'],
    ['2026-11-20T0000', '2026-11-20'],
    ['2026-11-20 1984 read', '2026-11-20'],
    ['2026-11-20 12 apostles', '2026-11-20'],
    ['2026-13-40, then 2026-11-20', '2026-11-20'],
    ['会议2026年1月5日', '2026-01-05'],
    ['2026년 11월 20일', '2026-11-20'],
    ['2026-11', '2026-11-01'],
    ['2026-W47', '2026-11-16'],
    ['2026-W01', '2025-12-29'],
    ['2026-W54', undefined],
    ['2026/11/20', '2026-11-20'],
    ['daily/2026/1/5', '2026-01-05'],
    ['2026-11 plan', undefined],
    ['2026', undefined],
    ['2026-02-30', undefined],
    ['2026-11-201', undefined],
    ['12026-11-20', undefined],
    ['30201015', undefined],
    ['v20261120', undefined],
    ['2026-11.20', undefined],
    ['20261120153012345', undefined],
    ['Tide', undefined],
  ];
  for (const [name, date] of NAMES) test(`${name}: ${date ?? 'none'}`, () => assert.equal(named(`${name}.md`), date));

  test('is taken from the file name, not from a folder or the extension', () => {
    assert.equal(named('2026-11-20/Tide.md'), undefined);
    assert.equal(named('2026-11-20.canvas'), '2026-11-20');
  });

  test('is always a day that exists', () => {
    const pieces = fc.constantFrom('2026', '20261120', '-', '_', ' ', 'T', '11', '20', '00', '99', '年', 'W', '/', 'a');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const date = named(`${parts.join('')}.md`);
        if (date === undefined) return;
        assert.match(date, /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$/);
        const day = date.slice(0, 10);
        assert.equal(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10), day);
      }),
    );
  });
});

suite('the date in a property', () => {
  const VALUES: readonly [Properties[string], string | undefined][] = [
    ['2026-11-20', '2026-11-20'],
    [' 2026/11/20 ', '2026-11-20'],
    [20_261_120, '2026-11-20'],
    ['2026-11-20T09:30', '2026-11-20T09:30'],
    ['2026-11-20 09:30:15.5', '2026-11-20T09:30:15'],
    ['[[2026-11-20]]', '2026-11-20'],
    ['[[daily/2026-11-20|that day]]', '2026-11-20'],
    ['2026年11月20日', '2026-11-20'],
    [Date.UTC(2026, 10, 20, 9, 30), localDate(Date.UTC(2026, 10, 20, 9, 30))],
    [Date.UTC(2026, 10, 20) / 1_000, localDate(Date.UTC(2026, 10, 20))],
    ['2026-11-20T09:30:00Z', localDate(Date.UTC(2026, 10, 20, 9, 30))],
    ['2026-11-20 09:30:00 +0900', localDate(Date.UTC(2026, 10, 20, 0, 30))],
    ['2026-11-20T09:30+99:00', undefined],
    ['2026-11-20T25:30', undefined],
    ['2026-11-20 and more', undefined],
    ['{{date}}', undefined],
    ['', undefined],
    [true, undefined],
    [null, undefined],
    [['2026-11-20'], undefined],
    [5, undefined],
  ];
  for (const [value, date] of VALUES) {
    test(`${JSON.stringify(value)}: ${date ?? 'none'}`, () => assert.equal(valued(value), date));
  }

  test('comes from the first date property by precedence, whatever its case and blanks, and wins over the name', () => {
    const properties = {
      Published: '2020-01-05',
      'Date-Created': '2020-01-04',
      created: 'soon',
      updated: '2020-01-01',
    };
    assert.deepEqual(noteDate('2026-11-20.md', properties), { date: '2020-01-04', by: 'property' });
    assert.deepEqual(noteDate('2026-11-20.md', { updated: '2020-01-01' }), { date: '2026-11-20', by: 'name' });
    assert.equal(noteDate('a.md', {}), undefined);
    for (const [at, name] of DATE_PROPERTIES.entries()) {
      const later = Object.fromEntries(DATE_PROPERTIES.slice(at + 1).map((other) => [other, '2020-01-01']));
      assert.equal(noteDate('a.md', { ...later, [name]: '2026-11-20' })?.date, '2026-11-20', name);
    }
  });
});

test('dates sort like the times they mean', () => {
  const moment = fc.integer({ min: Date.UTC(1001, 0), max: Date.UTC(9998, 0) }).map((ms) => ms - (ms % 250));
  const near = fc.tuple(moment, fc.constantFrom(0, 250, 1_000, 60_000, 3_600_000, 86_400_000 * 3));
  fc.assert(
    fc.property(near, ([ms, more]) => {
      const [one, other] = [localDate(ms), localDate(ms + more)];
      // A clock that is set back shows an hour twice.
      const isSetBack = new Date(ms).getTimezoneOffset() < new Date(ms + more).getTimezoneOffset();
      assert.ok(isSetBack || (more === 0 ? one === other : one < other), `${one} ${other}`);
    }),
  );
  assert.ok(localDate(-1e15) < '1000-01-01' && localDate(1e15) > '9999-12-31');
  assert.equal(localDate(new Date(2026, 10, 20).getTime()), '2026-11-20');
});
