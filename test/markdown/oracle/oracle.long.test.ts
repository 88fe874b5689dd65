// Compares what notes hold with what remark-parse 8 finds in them: in generated texts, and in public vaults where they are beside the checkout.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanBlocks } from '../../../src/markdown/parse/blocks.ts';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { publicVault, readVault } from '../links/vault-folder.ts';
import { type Found, readWithRemark } from './remark.ts';

/** Only marks that the oracle knows are compared. */
const KNOWN_MARK = /^[ x\t]$/i;

function readOurs(text: string): Found {
  const { headings, links, tags, tasks } = parseNote(text);
  const lines = text.split('\n');
  const { codeLines } = scanBlocks(text, splitLines(text), 0);
  const known = tasks.filter(({ mark }) => KNOWN_MARK.test(mark));
  return {
    headings: headings.map(({ line, level }) => `${line} ${level}`),
    links: links.map(({ line, link, kind }) => `${line} ${kind === 'embed' ? '!' : ''}${link}`),
    tags: tags.map(({ line, tag }) => `${line} ${tag}`),
    code: codeLines.filter((line) => lines[line - 1]?.trim() !== ''),
    tasks: known.map(({ line, mark }) => `${line} ${mark.toLowerCase() === 'x'}`),
  };
}

const KINDS = ['headings', 'links', 'tags', 'code', 'tasks'] as const;

/** What only one of both finds, by kind. */
function differences(text: string): string[] {
  const [ours, remark] = [readOurs(text), readWithRemark(text)];
  return KINDS.flatMap((kind) => {
    const one: readonly (string | number)[] = ours[kind];
    const other: readonly (string | number)[] = remark[kind];
    const only = [...one.filter((each) => !other.includes(each)), ...other.filter((each) => !one.includes(each))];
    return only.length === 0 ? [] : [`${kind}: ${only.slice(0, 5).join(', ')}`];
  });
}

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const BLANKS = [
  ['', '', '', ' ', '  ', '   ', '    ', '     ', '      ', '       '],
  ['', '', '\t', '\t\t', ' \t', '  \t'],
];
const MARKS = ['', '', '', '- ', '* ', '1. ', '4. ', '10. ', '> ', '>', '-   ', '- [ ] ', '- > ', '> - '];
const TABBED_MARKS = [...MARKS, '-\t', '1.\t', '10.\t', '-\t[ ] ', '- [ ]\t', '>\t', '> \t- '];
const TEXTS = [
  ...['a', 'c', '[[X]]', '![[E]] #t', '[[Y|y]] #t/u', '[t](u%20v.md)', '# h [[H]]', '## h', '---', '===', '***'],
  ...['```', '~~~', '```js', 'b ^id', '#t', '1) q [[Z]]', '\\[[N]]', '<b>[[B]]</b>'],
];

function textOf(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const blanks = pick(BLANKS);
  const marks = blanks === BLANKS[0] ? MARKS : TABBED_MARKS;
  const second = (): string => (random() < 0.2 ? pick(marks) : '');
  const line = (): string => (random() < 0.2 ? '' : pick(blanks) + pick(marks) + second() + pick(TEXTS));
  return `x\n\n${Array.from({ length: 2 + Math.floor(random() * 5) }, line).join('\n')}`;
}

/**
 * Where remark is not followed in texts that no one writes: it reads an item twice, first to find its lines, then
 * without the indentation that all of these have, and takes away a whole tab. Our parser reads each line once.
 */
const EXCEPTIONS: Readonly<Record<string, (text: string) => boolean>> = {
  'a line that is indented less than the item it is in': (text) =>
    isBelowItem(text) || isBelowItem(text.replace(/^(?: {0,3}> ?)+/gm, '')),
  'a tab after the mark of a quote, which it reads as the indentation of code': (text) => /> ?\t/.test(text),
  'blanks before a tab in a list, which it takes away as a whole': (text) => /^ +\t/m.test(text) && ITEM.test(text),
  'a tab below an item in an item, or before its text, which it takes away as a whole': (text) =>
    /^\t/m.test(text) && ITEM_IN_ITEM.test(text),
  'an item with one digit, which can lose one more column': (text) =>
    /^(?:[ >*-]|\[ \])*\d\. /m.test(text) && /^ {5,}/m.test(text),
};

const ITEM = /^[ \t>]*(?:[-*]|\d+[.)])[ \t]/m;
const ITEM_IN_ITEM = /^[ \t]*(?:[-*]|\d+[.)])[ \t]+(?:\[ \][ \t]+)?(?:> ?)?(?:[-*]|\d+[.)])[ \t]/m;

function isBelowItem(text: string): boolean {
  const open: number[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const indent = columnsOf(line);
    const mark = /^([ \t]*(?:[-*]|\d+[.)]))[ \t]+/.exec(line);
    while (indent < (open.at(-1) ?? 0)) {
      if (mark === null) return true;
      open.pop();
    }
    if (mark !== null) open.push(columnsOf(line.replace(/[-*.)\d]+/, (sign) => ' '.repeat(sign.length))));
  }
  return false;
}

function columnsOf(line: string): number {
  const [blanks = ''] = /^[ \t]*/.exec(line) ?? [];
  return [...blanks].reduce((column, blank) => column + (blank === '\t' ? 4 - (column % 4) : 1), 0);
}

test('generated texts hold what the oracle finds in them', () => {
  const met = new Map<string, number>();
  const random = randomOf(49);
  for (let round = 0; round < 30_000; round += 1) {
    const text = textOf(random);
    const found = differences(text);
    if (found.length === 0) continue;
    const reason = Object.keys(EXCEPTIONS).find((name) => EXCEPTIONS[name]?.(text));
    assert.ok(reason, `${JSON.stringify(text)} ${found.join('; ')}`);
    met.set(reason, (met.get(reason) ?? 0) + 1);
  }
  assert.deepEqual([...met.keys()].sort(), Object.keys(EXCEPTIONS).sort());
  assert.ok([...met.values()].reduce((sum, count) => sum + count, 0) < 2_400, JSON.stringify(Object.fromEntries(met)));
});

const IN_CELL = 'remark takes `[#A]` as the text of a link';
const LATER = 'a later line at the margin, of which our parser does not know yet';
const FOOTNOTE = 'footnotes, which CommonMark has not';
const ONE_BY_ONE = 'remark begins or ends a link, an address, code or emphasis in another place';

/** Each vault, with the notes of which both have a different view, and why ours stays. */
const VAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'black-sun-lodge': {},
  'dendron-site': {
    'community.events.office-hours.2022.01.05.md': ONE_BY_ONE,
    'dendron.roadmap.project.template.md': 'an item without text behind its checkbox is not a task',
    'dendron.topic.notes.md': 'links in an HTML comment that begins in a list',
    'dendron.topic.pod-v2.md': 'a tag in an HTML comment that begins in a list',
  },
  'foam-docs': {},
  'johngrib-ko': {
    'clipping/e-f-codd/a-relational-model-of-data-for-large-shared-data-banks.md': 'formulas, which CommonMark has not',
    'clojure/reference/transducers.md': LATER,
    'clojure/vim-setting.md': ONE_BY_ONE,
    'java/enhancements.md': FOOTNOTE,
    'memo/2022.md': ONE_BY_ONE,
  },
  kepano: {},
  'logseq-docs': { 'pages/Tasks.md': IN_CELL, 'pages/changelog_06.md': LATER, 'pages/tutorial.md': IN_CELL },
  'oldwinter-zh': {
    'Cards/永久笔记/KANBAN - 看板.md': ONE_BY_ONE,
    'Cards/永久笔记/一人得道、鸡犬升天.md': FOOTNOTE,
    'Cards/永久笔记/中文博客排版指南.md': ONE_BY_ONE,
    'Cards/永久笔记/视频制作.md': FOOTNOTE,
    'Extras/Templates/其他/更新日志模板.md': 'code of Templater',
    'README.md': FOOTNOTE,
    'Spaces/3-Resource/个人效率系统打造/2023-08-13整理给老妹的macos入门资源.md': ONE_BY_ONE,
    'Spaces/3-Resource/效率工具与服务专题/Obsidian插件使用/Advanced Slides.md': 'HTML with an underline',
  },
  'tasks-demo': {},
};

/** Without what CommonMark has not: properties and comments. */
function bodyOf(bytes: Buffer): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, '');
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n');
  return text.replace(/^---\n[\s\S]*?\n---[ \t]*(?:\n|$)/, blank).replace(/%%[\s\S]*?%%/g, blank);
}

for (const [name, exceptions] of Object.entries(VAULTS)) {
  const { folder, skip } = publicVault(name);
  test(`the notes of ${name} hold what the oracle finds in them`, { skip }, () => {
    const found = new Map<string, string[]>();
    for (const [path, bytes] of readVault(folder)) {
      const different = path.endsWith('.md') ? differences(bodyOf(bytes)) : [];
      if (different.length > 0) found.set(path, different);
    }
    const names = [...found.keys()].sort();
    assert.deepEqual(names, Object.keys(exceptions).sort(), JSON.stringify(Object.fromEntries(found)));
  });
}
