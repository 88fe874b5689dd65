// Reads base files and prepares their views: what is refused, with its line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BaseDocument, readBase } from '../../src/bases/base-document.ts';
import { BaseFault, UnsupportedFault } from '../../src/bases/base-fault.ts';
import { planView } from '../../src/bases/view-plan.ts';
import { assertEach } from '../assert-each.ts';

function planned(text: string) {
  const document: BaseDocument = readBase(text);
  return document.views.map((view) => planView(document, view));
}

/** `line: reason` of the fault of a base. */
function faultOf(text: string): string {
  try {
    planned(text);
  } catch (thrown) {
    if (!(thrown instanceof BaseFault)) throw thrown;
    return `${thrown.line}: ${thrown.message}`;
  }
  return 'none';
}

const FAULTS: readonly (readonly [text: string, fault: RegExp])[] = [
  ['a: [', /^1: Flow sequence/],
  ['views:\n  - type: table\n   name: x\n', /^3: /],
  ['just text\n', /^1: the file is not a YAML map/],
  ['- a\n', /^1: the file is not a YAML map/],
  ['views: 5\n', /^1: views is not a list/],
  ['views:\n  - type: table\n  - words\n', /^3: views\.1 is not a map/],
  ['views:\n  - type: table\n    limit: many\n', /^3: views\.0\.limit is not a number of rows/],
  [
    'views:\n  - type: table\n    sort:\n      - property: a\n        direction: UP\n',
    /^5: views\.0\.sort\.0\.direction is neither/,
  ],
  ['filters:\n  and: []\n  or: []\n', /^2: filters must have exactly one of and, or, not/],
  ['filters:\n  xor:\n    - a\n', /^2: filters must have exactly one of and, or, not/],
  ['filters:\n  and: a\n', /^2: filters\.and is not a list/],
  [
    'filters:\n  and:\n    - a > 1\n    - "b >"\n',
    /^4: filters\.and\.1, character 4: a value is missing before the end/,
  ],
  [`x: "${'a'.repeat(70_000)}"\n`, /^1: longer than 65536 characters/],
];

test('what is not a base, or not an expression, is refused with its line', () => {
  for (const [text, fault] of FAULTS) assert.match(faultOf(text), fault, text.slice(0, 80));
});

const SPOILED: readonly (readonly [text: string, reason: RegExp])[] = [
  ['formulas:\n  a: nonsense()\n', /^line 2: the function nonsense\(\) is not supported/],
  ['formulas:\n  a: "1 +"\n', /^line 2: formulas\.a, character 4: a value is missing before the end/],
  ['formulas:\n  a: [1]\n', /^line 2: formulas\.a is not a text/],
  ['formulas:\n  a: formula.a\n', /^line 2: formulas\.a: the formula uses itself: a → a/],
];

test('a formula that cannot be evaluated spoils its own column', () => {
  for (const [formulas, reason] of SPOILED) {
    const [plan, other] = planned(`${formulas}views:\n  - order: [file.name, formula.a]\n  - name: B\n`);
    const spoiled = plan?.formulas.get('a');
    assert.ok(spoiled?.type === 'fault', formulas);
    assert.match(spoiled.reason, reason);
    assert.equal(plan?.columns[0]?.expression.type, 'member');
    assert.equal(other?.formulas.size, 0);
  }
  const [gone] = planned('views:\n  - order: [formula.gone, file.odd]\n');
  assert.deepEqual(
    gone?.columns.map(({ expression }) => expression.type === 'fault' && expression.reason),
    ['line 2: the view "View 1": there is no formula "gone"', 'line 2: the property file.odd is not supported'],
  );
});

test('a view that cannot be read does not spoil the others', () => {
  const { views } = readBase('views:\n  - name: A\n    limit: many\n  - 5\n  - name: C\n    limit: 2\n');
  assert.deepEqual(
    views.map(({ name, limit, fault }) => [name, limit, fault?.message]),
    [
      ['A', undefined, 'views.0.limit is not a number of rows'],
      ['View 2', undefined, 'views.1 is not a map'],
      ['C', 2, undefined],
    ],
  );
});

const UNSUPPORTED: readonly (readonly [text: string, what: string, line: number, place: string])[] = [
  ['filters: contains(a, 1)\n', 'the function contains()', 1, 'filters'],
  ['filters:\n  and:\n    - x\n    - a.sum() > 1\n', 'the function .sum()', 4, 'filters.and.1'],
  ['filters: file.fullname == "a"\n', 'the property file.fullname', 1, 'filters'],
];

test('what is not supported is named with its place', () => {
  for (const [text, what, line, place] of UNSUPPORTED) {
    assert.throws(
      () => planned(text),
      (thrown) => {
        assert.ok(thrown instanceof UnsupportedFault, text);
        assert.deepEqual([thrown.what, thrown.line, thrown.place], [what, line, place]);
        return true;
      },
    );
  }
});

test('a view names each of its regular expressions once, where it is used first', () => {
  const text =
    'formulas:\n  f: if(a, /x/i.matches(a), /x/i)\n  g: /unused/\nviews:\n  - order: [formula.f]\n    filters: /y/.matches(b)\n';
  assert.deepEqual(planned(text)[0]?.regexes, [
    { pattern: 'y', flags: '', line: 6, place: 'views.0.filters' },
    { pattern: 'x', flags: 'i', line: 2, place: 'formulas.f' },
  ]);
});

test('a view fails only for what it uses', () => {
  const text = 'formulas:\n  bad: nonsense()\n  good: 1 + 1\nviews:\n  - name: A\n    order: [formula.good]\n';
  assert.deepEqual([...(planned(text)[0]?.formulas.keys() ?? [])], ['good']);
});

test('an empty file shows the names of all files', () => {
  for (const text of ['', '# nothing\n', 'views: []\n'])
    assert.deepEqual(
      planned(text).map(({ view, columns }) => [view.type, columns.map(({ property }) => property)]),
      [['table', ['file.name']]],
    );
});

test('both forms of display names and of sort keys are read', () => {
  const text = [
    'display: { file.name: Title, note.age: Old }',
    'properties: { age: { displayName: Age }, formula.f: { displayName: F } }',
    'formulas: { f: age + 1 }',
    'views:',
    '  - order: [file.name, age, formula.f, note.plain]',
    '    sort: [{ column: note.age, direction: DESC }, { property: file.name }]',
  ].join('\n');
  const [plan] = planned(text);
  assert.deepEqual(
    plan?.columns.map(({ property, name }) => `${property} ${name}`),
    ['file.name Title', 'note.age Age', 'formula.f F', 'note.plain plain'],
  );
  assertEach(plan?.sort, ({ descending }) => descending, [true, false]);
});

test('a formula that is not written yet is empty, and a summary that is not supported spoils only itself', () => {
  const text =
    'formulas:\n  a: ""\n  b:\nsummaries:\n  own: values.sum()\nviews:\n  - order: [formula.a, formula.b]\n    summaries: { a: Mode, b: own, c: Sum }\n';
  const [plan] = planned(text);
  assert.deepEqual(
    plan?.columns.map(({ property }) => plan.formulas.get(property.slice('formula.'.length))),
    [0, 0].map((at) => ({ type: 'literal', value: null, at })),
  );
  const reasons = plan?.summaries.map(({ custom }) => (custom?.type === 'fault' ? custom.reason : undefined));
  assert.deepEqual(reasons, [
    'line 7: the summary "Mode" is not supported',
    'line 5: the function .sum() is not supported',
    undefined,
  ]);
});
