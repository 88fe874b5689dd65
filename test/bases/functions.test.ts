// Calls every function of the language of bases.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FUNCTIONS } from '../../src/bases/functions/function-list.ts';
import type { PlainCell } from '../../src/bases/values/plain.ts';
import { evaluated } from './small-vault.ts';

/** By `receiver.name`. */
const CALLS: Readonly<Record<string, readonly (readonly [expression: string, value: PlainCell])[]>> = {
  'global.date': [
    ['date("2026-11-20 10:00:00")', { date: '2026-11-20 10:00:00' }],
    ['date("20250527")', { date: '2025-05-27' }],
    ['date("20250527T0930")', { date: '2025-05-27 09:30:00' }],
    ['date("01/31/2025")', { date: '2025-01-31' }],
    ['date("2025/5/7 9:05")', { date: '2025-05-07 09:05:00' }],
    ['date("2025-05")', { date: '2025-05-01' }],
    ['date("2025")', { date: '2025-01-01' }],
    ['date("May 27, 2025")', { date: '2025-05-27' }],
    ['date("Tue, 27 May 2025 14:00")', { date: '2025-05-27 14:00:00' }],
    ['date("31/01/2025")', { error: '"31/01/2025" is not a date' }],
    ['date("20251350")', { error: '"20251350" is not a date' }],
    ['date("Chapter 5")', { error: '"Chapter 5" is not a date' }],
  ],
  'global.empty': [
    ['empty(missing) && empty("") && empty([])', true],
    ['not(empty(name))', true],
    ['empty(0)', false],
  ],
  'global.not': [['not(0)', true]],
  'global.duration': [['duration("1h 30m")', { duration_ms: 5_400_000 }]],
  'global.escapeHTML': [['escapeHTML("<a> & \'b\'")', '&lt;a&gt; &amp; &#39;b&#39;']],
  'global.file': [
    ['file("Harbour/Quay").path', 'Harbour/Quay.md'],
    ['file("none")', null],
  ],
  'global.html': [['html("<b>x</b>")', { html: '<b>x</b>' }]],
  'global.icon': [['icon("arrow-right")', { icon: 'arrow-right' }]],
  'global.if': [
    ['if(1, "yes", "no")', 'yes'],
    ['if("", "yes", "no")', 'no'],
  ],
  'global.image': [
    ['image("chart.png")', { image: 'chart.png' }],
    ['image(file)', { image: 'Harbour/Tide.md' }],
  ],
  'global.link': [['link(file.ctime.date().toString())', { link: '2026-11-01', unresolved: true }]],
  'global.list': [
    ['list("a")', ['a']],
    ['list([1])', [1]],
    ['list(missing)', []],
  ],
  'global.max': [
    ['max(1, 3, 2)', 3],
    ['max(missing, 1)', 1],
  ],
  'global.min': [['min(4, 2, 3)', 2]],
  'global.now': [['now()', { date: '2026-11-20 09:30:15' }]],
  'global.number': [
    ['number("3.4")', 3.4],
    ['number(true)', 1],
    ['number("x")', { error: '"x" is not a number' }],
    ['number(date("1970-01-02")) - number(date("1970-01-01"))', 86_400_000],
  ],
  'global.random': [['random() >= 0 && random() < 1', true]],
  'global.today': [['today()', { date: '2026-11-20' }]],
  'any.isTruthy': [
    ['1.isTruthy()', true],
    ['[].isTruthy()', false],
  ],
  'any.isType': [['"a".isType("string") && true.isType("boolean") && due.isType("date") && home.isType("link")', true]],
  'any.toString': [
    ['123.toString()', '123'],
    ['[1, "a"].toString()', '1, a'],
  ],
  'date.date': [['seen.date()', { date: '2026-11-19' }]],
  'date.format': [
    ['due.format("YYYY/MM")', '2026/11'],
    ['due.format("Mo D, k SSS zz")', '11th 22, 24 000 '],
  ],
  'date.isEmpty': [['due.isEmpty()', false]],
  'date.relative': [
    ['file.mtime.relative()', '2 days ago'],
    ['now().relative()', 'a few seconds ago'],
  ],
  'date.time': [['due.time()', '00:00:00']],
  'string.contains': [
    ['"hello".contains("ell")', true],
    ['"hello".contains("EL")', false],
  ],
  'string.containsAll': [['"hello".containsAll("h", "x")', false]],
  'string.containsAny': [['"hello".containsAny("x", "y", "e")', true]],
  'string.endsWith': [['"hello".endsWith("lo")', true]],
  'string.isEmpty': [['"".isEmpty()', true]],
  'string.lower': [['"HeLLo".lower()', 'hello']],
  'string.repeat': [
    ['"ab".repeat(3)', 'ababab'],
    ['"ab".repeat(-1)', { error: '-1 is not a number of times' }],
  ],
  'string.replace': [
    ['"a:b:c".replace(":", "-")', 'a-b-c'],
    ['"a$".replace("$", "$&")', 'a$&'],
    ['"a:b:c".replace(/:/, "-")', 'a-b:c'],
    ['"a:b:c".replace(/:/g, "-")', 'a-b-c'],
    ['"abc".replace(/x*/g, "-")', '-a-b-c-'],
    ['"Finch, Ada".replace(/(\\w+), (?<first>\\w+)/, "$<first> $1$3$$")', 'Ada Finch$3$'],
    ['"abc".replace(/b/, "[$`$&$\'$12]")', 'a[abc$12]c'],
  ],
  'string.reverse': [['"héllo".reverse()', 'olléh']],
  'string.slice': [
    ['"hello".slice(1, 4)', 'ell'],
    ['"hello".slice(-2)', 'lo'],
  ],
  'string.split': [
    ['"a,b,c,d".split(",", 3)', ['a', 'b', 'c']],
    ['"a, b;c".split(/[,;]\\s*/)', ['a', 'b', 'c']],
    ['"a1b".split(/(\\d)|(x)/)', ['a', '1', null, 'b']],
    ['"abc".split(/x*/)', ['a', 'b', 'c']],
    ['"".split(/x*/)', []],
  ],
  'string.startsWith': [['"hello".startsWith("he")', true]],
  'string.title': [['"hello wide world".title()', 'Hello Wide World']],
  'string.trim': [['"  hi ".trim()', 'hi']],
  'number.abs': [['(-5).abs()', 5]],
  'number.ceil': [['(2.1).ceil()', 3]],
  'number.floor': [['(2.9).floor()', 2]],
  'number.isEmpty': [['5.isEmpty()', false]],
  'number.round': [
    ['(2.5).round()', 3],
    ['(2.3333).round(2)', 2.33],
    ['(1.005).round(2)', 1.01],
    ['(2).round(1.5)', { error: '1.5 is not a number of digits from 0 to 100' }],
  ],
  'number.toFixed': [['(3.14159).toFixed(2)', '3.14']],
  'list.contains': [['[1, 2, 3].contains(2)', true]],
  'list.containsAll': [['[1, 2, 3].containsAll(2, 4)', false]],
  'list.containsAny': [
    ['[1, 2, 3].containsAny(3, 4)', true],
    ['marks.containsAny([9, 2])', true],
  ],
  'list.filter': [
    ['[1, 2, 3, 4].filter(value > 2)', [3, 4]],
    ['["a", "b"].filter(index == 1)', ['b']],
    ['marks.filter(value < height)', [3, 1, 2, 1]],
  ],
  'list.flat': [['[1, [2, [3]]].flat()', [1, 2, 3]]],
  'list.isEmpty': [['[].isEmpty()', true]],
  'list.join': [['[1, 2, due].join("; ")', '1; 2; 2026-11-22']],
  'list.map': [
    ['[1, 2].map(value + index)', [1, 3]],
    ['[1, 2].map([3].map(value))', [[3], [3]]],
  ],
  'list.mean': [['[1, 2, null].mean()', 1.5]],
  'list.median': [
    ['[5, 1, 3].median()', 3],
    ['[4, 1, "x"].median()', 2.5],
    ['[].median()', null],
  ],
  'list.stddev': [['[2, 4].stddev()', 1]],
  'list.reduce': [
    ['[1, 2, 3].reduce(acc + value, 0)', 6],
    ['marks.filter(value.isType("number")).reduce(if(acc == null || value > acc, value, acc), null)', 3],
  ],
  'list.reverse': [['[1, 2].reverse()', [2, 1]]],
  'list.slice': [['[1, 2, 3, 4].slice(1, 3)', [2, 3]]],
  'list.sort': [
    ['[3, 1, 2, null].sort()', [1, 2, 3, null]],
    ['["c", "a10", "a9"].sort()', ['a9', 'a10', 'c']],
  ],
  'list.unique': [
    ['[1, 2, 2, 3].unique()', [1, 2, 3]],
    ['[link("Quay"), file("Quay")].unique().length', 1],
  ],
  'link.asFile': [['link("[[Quay]]").asFile()', { file: 'Harbour/Quay.md' }]],
  'link.linksTo': [['link("Quay").linksTo("Log")', false]],
  'file.asLink': [['file.asLink()', { link: 'Harbour/Tide.md', display: 'Tide' }]],
  'file.hasLink': [['file.hasLink("Nowhere#part")', true]],
  'file.hasProperty': [['file.hasProperty("HEIGHT")', true]],
  'file.hasTag': [['file.hasTag("sea/high")', true]],
  'file.inFolder': [['file.inFolder("harbour/")', true]],
  'object.isEmpty': [['{}.isEmpty()', true]],
  'object.keys': [['boat.keys()', ['mast']]],
  'object.values': [['boat.values()', [2]]],
  'regular expression.matches': [
    ['/tide/i.matches(name)', true],
    ['/^tide/i.matches(name)', false],
    ['/\\d{4}-\\d\\d/.matches("on 2026-11-20")', true],
    ['/a/.matches(marks)', { error: 'argument 1 is a list, not a text' }],
  ],
};

const keyOf = ({ on, name }: (typeof FUNCTIONS)[number]): string => `${on}.${name}`;

test('every function is called', () => {
  assert.deepEqual(Object.keys(CALLS).sort(), FUNCTIONS.map(keyOf).sort());
});

for (const [name, calls] of Object.entries(CALLS)) {
  test(name, () => {
    for (const [expression, value] of calls) assert.deepEqual(evaluated(expression), value, expression);
  });
}
