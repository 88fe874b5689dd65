// A few files for expressions to work on.
import { fileKindOf, type NotePath, type Properties } from '../../src/base/note.ts';
import { type BaseWorld, RowEvaluation } from '../../src/bases/evaluate.ts';
import { type Expression, parseExpression, partsOf, regexKey } from '../../src/bases/expression.ts';
import type { BaseFile, BaseFiles, FileLink } from '../../src/bases/files.ts';
import { type PlainCell, plainCell } from '../../src/bases/values/plain.ts';
import { compileRegex } from '../../src/bases/values/regex.ts';
import { CellFault, type RegexValue } from '../../src/bases/values/value.ts';
import { candidatesByName, resolveLink } from '../../src/markdown/links/resolve-link.ts';
import { displayOf } from '../../src/markdown/parse/wikilink.ts';

const NOW = new Date(2026, 10, 20, 9, 30, 15);

interface SmallFile {
  readonly properties?: Properties;
  readonly tags?: readonly string[];
  readonly links?: readonly string[];
  readonly embeds?: readonly string[];
}

const FILES: Readonly<Record<string, SmallFile>> = {
  'Harbour/Tide.md': {
    properties: {
      height: 4.25,
      name: 'Spring tide',
      due: '2026-11-22',
      seen: '2026-11-19T08:00',
      places: ['[[Quay]]', '[[Nowhere]]', 'plain'],
      home: '[[Quay|the quay]]',
      tags: ['sea', 'sea/high'],
      done: false,
      empty: '',
      nothing: null,
      Mixed: 'case',
      boat: { mast: 2 },
      marks: [3, 1, 2, 1],
      typed: '2026-11-22',
      count: '12',
      ten: '10',
    },
    tags: ['#sea', '#sea/high', '#work'],
    links: ['Quay', 'Nowhere#part'],
    embeds: ['chart.png'],
  },
  'Harbour/Quay.md': { links: ['Tide'] },
  'Other/Log.md': { links: ['Tide', 'Quay'], tags: ['#log'], properties: { related: ['[[Tide]]'] } },
  'Other/chart.png': {},
  'Bases/All.base': {},
};

const paths = Object.keys(FILES) as NotePath[];
const candidatesFor = candidatesByName(paths);
const all: readonly BaseFile[] = paths.map((path) => ({
  path,
  kind: fileKindOf(path),
  sizeBytes: 100,
  modifiedMs: new Date(2026, 10, 18, 12).getTime(),
  createdMs: new Date(2026, 10, 1, 12).getTime(),
  tags: FILES[path]?.tags ?? [],
  properties: FILES[path]?.properties ?? {},
}));

function linksOf(path: NotePath): readonly FileLink[] {
  const { links = [], embeds = [] } = FILES[path] ?? {};
  const linked = (kind: 'wikilink' | 'embed') => (link: string) => {
    const target = resolveLink(link, path, candidatesFor).path;
    return { kind, link, display: displayOf(link), target };
  };
  return [...links.map(linked('wikilink')), ...embeds.map(linked('embed'))];
}

const SMALL_VAULT: BaseFiles = {
  all,
  candidatesFor,
  at: (path) => all.find((file) => file.path === path),
  linksOf,
  sourcesOf: (path) => paths.filter((source) => linksOf(source).some(({ target }) => target === path)),
};

function fileAt(path: string): BaseFile {
  return all.find((file) => file.path === path) as BaseFile;
}

const WORLD: Omit<BaseWorld, 'regexes'> = {
  files: SMALL_VAULT,
  basePath: 'Bases/All.base' as NotePath,
  self: fileAt('Other/Log.md'),
  now: NOW,
  types: new Map([
    ['typed', 'text'],
    ['count', 'number'],
  ]),
  formulas: new Map([
    ['twice', parseExpression('height * 2')],
    ['broken', parseExpression('height * name')],
  ]),
};

function regexesIn(expression: Expression): Map<string, RegexValue> {
  const inParts = partsOf(expression).flatMap((part) => [...regexesIn(part)]);
  if (expression.type !== 'regex') return new Map(inParts);
  const regex = compileRegex({ ...expression, line: 1, place: 'the test' });
  return new Map([[regexKey(expression), { kind: 'regex', regex }]]);
}

/** The value of an expression for `Harbour/Tide.md`, where `this` is `Other/Log.md`; an error as `{ error }`. */
export function evaluated(text: string, path = 'Harbour/Tide.md'): PlainCell {
  try {
    const expression = parseExpression(text);
    const world = { ...WORLD, regexes: regexesIn(expression) };
    return plainCell(new RowEvaluation(world, fileAt(path)).value(expression), SMALL_VAULT);
  } catch (thrown) {
    if (thrown instanceof CellFault) return { error: thrown.message };
    throw thrown;
  }
}
