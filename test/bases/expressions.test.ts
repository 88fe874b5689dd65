// Evaluates expressions of the language of bases: operators, properties, null, dates, links and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExpression, SyntaxFault } from '../../src/bases/expression.ts';
import type { PlainCell } from '../../src/bases/values/plain.ts';
import { evaluated } from './small-vault.ts';

const CASES: Readonly<Record<string, readonly (readonly [expression: string, value: PlainCell])[]>> = {
  operators: [
    ['1 + 2 * 3 - 4 / 2', 5],
    ['(1 + 2) * 3 % 4', 1],
    ['-2 + 5', 3],
    ['10 - 3 - 2', 5],
    ['1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3', true],
    ['1 == 2 || "a" != "b"', true],
    ['!true || !null', true],
    ['true || 1 < "x"', true],
    ['"a" + "b" + 1', 'ab1'],
    ['"no " + missing', 'no '],
    ['[1, [2, "a"]]', [1, [2, 'a']]],
    ['{"a": 1, b: [2]}', { object: { a: 1, b: [2] } }],
    ['[1, 2] == [1, 2]', true],
    ['"it\\"s" + \'it\\\'s\'', 'it"sit\'s'],
    ['1.5e3', 1500],
    ['5 / 0', 'Infinity'],
  ],
  properties: [
    ['height', 4.25],
    ['note.height', 4.25],
    ['note["height"]', 4.25],
    ['mixed', 'case'],
    ['boat.mast', 2],
    ['boat["mast"]', 2],
    ['marks[0]', 3],
    ['marks[9]', null],
    ['marks.length', 4],
    ['name.length', 11],
    ['formula.twice', 8.5],
    ['formula["twice"] + 1', 9.5],
    ['this.related', [{ link: 'Harbour/Tide.md', display: 'Tide' }]],
    ['this.file.name', 'Log'],
    ['file.properties.height', 4.25],
    ['file.name', 'Tide'],
    ['file.basename', 'Tide'],
    ['file.path', 'Harbour/Tide.md'],
    ['file.folder', 'Harbour'],
    ['file.ext', 'md'],
    ['file.size', 100],
    ['file.mtime', { date: '2026-11-18 12:00:00' }],
    ['file.ctime.day', 1],
    ['file.tags', ['#sea', '#sea/high', '#work']],
    ['file.file', { file: 'Harbour/Tide.md' }],
    [
      'file.links',
      [
        { link: 'Harbour/Quay.md', display: 'Quay' },
        { link: 'Nowhere#part', unresolved: true },
      ],
    ],
    ['file.embeds', [{ link: 'Other/chart.png', display: 'chart.png' }]],
    [
      'file.backlinks',
      [
        { link: 'Harbour/Quay.md', display: 'Quay' },
        { link: 'Other/Log.md', display: 'Log' },
      ],
    ],
    ['home', { link: 'Harbour/Quay.md', display: 'the quay' }],
  ],
  'a missing value': [
    ['missing', null],
    ['missing.deep.er', null],
    ['missing == null', true],
    ['nothing == null', true],
    ['missing != 1', true],
    ['missing < 1 || missing >= 1', false],
    ['missing + 1', null],
    ['missing.isEmpty()', true],
    ['empty.isEmpty()', true],
    ['!done && !empty && !nothing && ![]', true],
    ['missing.contains("x")', null],
    ['!missing.containsAny("x")', true],
    ['missing.toString()', ''],
    ['missing.isType("null")', true],
    ['if(missing, 1)', null],
  ],
  dates: [
    ['due', { date: '2026-11-22' }],
    ['seen', { date: '2026-11-19 08:00:00' }],
    ['due > today() && due < today() + "1w"', true],
    ['due == "2026-11-22"', true],
    ['due == date("2026-11-22")', true],
    ['date("2024-12-01") + "1M" + "4h" + "3m"', { date: '2025-01-01 04:03:00' }],
    ['date("2026-01-31") + "1 month"', { date: '2026-02-28' }],
    ['date("2024-02-29") - "1y"', { date: '2023-02-28' }],
    ['now() + (duration("1d") * 2)', { date: '2026-11-22 09:30:15' }],
    ['(now() + "1d") - now()', { duration_ms: 86_400_000 }],
    ['(now() + "1d") - now() == 86400000', true],
    ['(date("2026-11-22") - date("2026-11-20")) / 86400000', 2],
    ['(today() - date("2000-11-20")).years.floor()', 25],
    ['(today() - date("2026-08-20")).months.round()', 3],
    ['duration("1 year") == duration("365 days")', true],
    ['duration("1 month") == duration("31 days")', true],
    ['duration("2h") > "90m"', true],
    ['duration("5h") / 2 == duration("150m")', true],
    ['now().hour + ":" + now().minute + ":" + now().second', '9:30:15'],
    ['now().date()', { date: '2026-11-20' }],
    ['seen.time()', '08:00:00'],
    ['seen.format("dddd D MMM YYYY")', 'Thursday 19 Nov 2026'],
    ['seen.relative()', 'a day ago'],
    ['(now() + "3h").relative()', 'in 3 hours'],
    ['due.toString()', '2026-11-22'],
    ['date("2026-13-01")', { error: '"2026-13-01" is not a date' }],
    ['date("2026-02-30")', { error: '"2026-02-30" is not a date' }],
    ['duration("3 fortnights")', { error: '"3 fortnights" is not a duration' }],
    ['date("2026-11-20") + "9999999y"', { error: 'the date is out of range' }],
  ],
  links: [
    ['link("Quay")', { link: 'Harbour/Quay.md', display: 'Quay' }],
    ['link("[[Quay|q]]")', { link: 'Harbour/Quay.md', display: 'q' }],
    ['link("Quay", "q")', { link: 'Harbour/Quay.md', display: 'q' }],
    ['link("https://example.org", "site")', { link: 'https://example.org', display: 'site' }],
    ['link("Gone")', { link: 'Gone', unresolved: true }],
    ['home == link("Quay")', true],
    ['home == file("Quay")', true],
    ['link("Tide") == file', true],
    ['link("Gone") == link("Gone")', true],
    ['link("Gone") == link("Lost")', false],
    ['places.contains(link("Quay"))', true],
    ['places.contains(link("Nowhere"))', true],
    ['places.contains("[[Quay]]")', true],
    ['places.contains("plain")', true],
    ['this.related.contains(file)', true],
    ['file.hasLink("Quay")', true],
    ['file.hasLink(link("Quay"))', true],
    ['file.hasLink(this)', false],
    ['this.file.hasLink(file)', true],
    ['file.hasLink("chart.png")', true],
    ['home.asFile().path', 'Harbour/Quay.md'],
    ['link("Gone").asFile()', null],
    ['home.linksTo(file)', true],
    ['file.asLink("t")', { link: 'Harbour/Tide.md', display: 't' }],
    ['file("Quay").name', 'Quay'],
    ['file.embeds[0].containsAny("jpg", "png")', true],
  ],
  files: [
    ['file.hasTag("sea")', true],
    ['file.hasTag("#work", "none")', true],
    ['file.hasTag("se")', false],
    ['file.tags.contains("sea/high")', true],
    ['tags.contains("#SEA")', true],
    ['file.tags.contains("wor")', false],
    ['file.tags.contains("work/x")', false],
    ['["sea/high"].contains("sea")', false],
    ['file.tags.filter(value != "sea").contains("sea")', true],
    ['file.tags.filter(value == "sea/high").containsAll("#Sea", "sea/high")', true],
    ['file.tags.filter(value == "sea/high").containsAny("work", link("sea"))', true],
    ['file.tags.filter(value == "sea/high").unique().length', 1],
    ['file.inFolder("Harbour")', true],
    ['file.inFolder("Harb")', false],
    ['file.inFolder("/")', true],
    ['file.hasProperty("height")', true],
    ['file.hasProperty("missing")', false],
  ],
  'numbers in texts, and types of properties': [
    ['ten > 9 && ten == 10 && 9 < ten && ten <= 10.0', true],
    ['ten != 10', false],
    ['" " == 0', false],
    ['ten < "9"', false],
    ['count + 1', 13],
    ['typed.isType("string") && due.isType("date")', true],
    ['max(ten, 3)', '10'],
  ],
  errors: [
    ['height * name', { error: 'number * string is not defined' }],
    ['formula.broken', { error: 'number * string is not defined' }],
    ['if(true, 1, formula.broken)', 1],
    ['height < name', { error: 'a number and a string have no order' }],
    ['height.lower()', { error: 'a number has no function lower()' }],
    ['name.contains()', { error: 'contains(value: string): boolean was given 0 arguments' }],
    ['name.contains(missing)', { error: 'argument 1 is a null, not a text' }],
    ['name.repeat(100000)', { error: 'a text of 1100000 characters is longer than 100000' }],
    ['due + due', { error: 'date + date is not defined' }],
    ['due + "soon"', '2026-11-22soon'],
    ['due - "soon"', { error: 'date - "soon" is not defined: it is not a duration' }],
    ['-name', { error: '-string is not defined' }],
    ['name[0]', { error: 'a string has no positions' }],
    ['"a".repeat(50000).split("").map(value + 1).map(value + 1).length', { error: 'it takes more than 300000 steps' }],
  ],
};

for (const [subject, cases] of Object.entries(CASES)) {
  test(subject, () => {
    for (const [expression, value] of cases) assert.deepEqual(evaluated(expression), value, expression);
  });
}

test('an attachment has the properties of its file only', () => {
  assert.deepEqual(evaluated('[file.name, file.basename, file.ext, height]', 'Other/chart.png'), [
    'chart.png',
    'chart',
    'png',
    null,
  ]);
});

const FAULTS: readonly (readonly [expression: string, at: number, reason: RegExp])[] = [
  ['', 0, /a value is missing before the end/],
  ['1 +', 3, /a value is missing before the end/],
  ['a b', 2, /b is not expected here/],
  ['f(1', 3, /, is missing before the end/],
  ['"open', 0, /a quote is not closed/],
  ['a # b', 2, /# is not part of the language/],
  ['a.', 2, /a name is missing before the end/],
  ['[1, 2', 5, /, is missing/],
  ['{1: 2}', 1, /a name is missing/],
  ['formula[x]', 7, /needs the name of a formula/],
  ['a = b', 2, /= is not part of the language/],
  [`${'('.repeat(100)}1${')'.repeat(100)}`, 64, /nested too deeply/],
  [Array(500).fill('1').join('+'), 197, /nested too deeply/],
];

test('a text that is not an expression is refused at its place', () => {
  for (const [expression, at, reason] of FAULTS) {
    assert.throws(
      () => parseExpression(expression),
      (thrown) => {
        assert.ok(thrown instanceof SyntaxFault, `${expression}: ${thrown}`);
        assert.match(thrown.message, reason, expression);
        assert.equal(thrown.at, at, expression);
        return true;
      },
    );
  }
});

test('the longest chain of operators is evaluated', () => {
  assert.equal(evaluated(Array(390).fill('1').join('+')), 390);
});
