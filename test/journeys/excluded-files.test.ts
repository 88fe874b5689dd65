// Files that Obsidian's settings exclude, over stdio: in no answer but where a caller names them.
import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSession, type Session, temporaryFolder } from './session.ts';

const SECRET = `---
aliases: [Zyx alias]
zyxproperty: zyx value
tags: [zyx/deep]
---
# Zyx heading
The zyxword meets [[Home]] ![[lamp.png]] at the lighthouse and [[Nowhere]], by [[Home#Zyx part|a zyx name]].
Public note is mentioned by name.
- [ ] zyx task 📅 2026-11-20
![[zyx.png]]
`;
const FILES = {
  '.obsidian-mac/app.json': '{"userIgnoreFilters": ["private/", "/diary-\\\\d+/", "/^(?!Home)(?!Public)(?!Al).*zyx/"]}',
  'Private/Zyx.md': SECRET,
  'Private/Zyx copy.md': SECRET,
  'Private/Zyx.canvas':
    '{"nodes":[{"id":"a","type":"text","text":"zyxword","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'Private/Zyx.base': 'views:\n  - type: table\n    name: Zyx view\n',
  'Private/zyx.png': 'x',
  'Work/diary-7 zyx.md': 'The zyxword of [[Zyx]].\n',
  'Elsewhere/ZYX.pdf': 'x',
  'Home.md': 'A lighthouse at home, and [[Public note]].\n',
  'Public note.md': 'The lighthouse has a lamp. See [[Secret place]].\n',
  'All.base': 'views:\n  - type: table\n    name: All\n    limit: 100\n    order: [file.name, file.backlinks]\n',
} as const;

function vaultOf(context: TestContext, files: Readonly<Record<string, string>> = FILES): string {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(files)) put(vault, path, text);
  return vault;
}

function put(vault: string, path: string, text: string): void {
  mkdirSync(dirname(join(vault, path)), { recursive: true });
  writeFileSync(join(vault, path), text);
}

const LISTS: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ...['zyxword', 'zyx alias', 'lighthouse', 'zyx*', 'lighthuose zyxwrod', '"meets Home"'].flatMap((query) => [
    ['search_text', { query }] as const,
    ['get_context', { topic: query }] as const,
    ['get_timeline', { topic: query, file_times: true, limit: 100 }] as const,
  ]),
  ...['path', 'links', 'random', 'modified'].map((sort) => ['list_notes', { sort, limit: 100 }] as const),
  ['list_notes', { links_to: 'Home' }],
  ['list_notes', { where: ['zyxproperty exists'] }],
  ['list_tags', {}],
  ['list_properties', {}],
  ['list_tasks', { status: 'any' }],
  ['list_changes', { limit: 100, detail: 'full' }],
  ['query_base', { base: 'All', limit: 100 }],
  ['get_hubs', { metric: 'out_degree' }],
  ['get_hubs', { metric: 'pagerank' }],
  ['get_communities', { members: 100 }],
  ...(['unresolved', 'orphans', 'dead_ends', 'unlinked_mentions', 'duplicates', 'unused_attachments'] as const).map(
    (kind) => ['find_gaps', { kind, limit: 100 }] as const,
  ),
  ['find_gaps', { kind: 'stale', before: '2100-01-01', limit: 100 }],
  ['check_vault', { limit: 100 }],
  ['find_conflicts', { limit: 100 }],
  ['find_gaps', { kind: 'unlinked_mentions', note: 'Public note' }],
  ['find_related', { note: 'Public note' }],
  ['find_related', { note: 'Home' }],
  ['get_context', { notes: ['Home'] }],
  ['get_timeline', { notes: ['Home'], file_times: true }],
  ['find_path', { from: 'Home', to: 'Public note' }],
  ['read_notes', { notes: ['Zxy'] }],
];

const LAST_CHANGE = new Date('2026-11-20T10:00:00Z');

/** Also what shows no name of an excluded file shows nothing of it: no weight, count, order, correction or suggestion. */
const SAME: typeof LISTS = [
  // An attachment that only an excluded note has is not unused.
  ...LISTS.filter(([, { sort, kind }]) => sort !== 'random' && kind !== 'unused_attachments'),
  ...['zyxwrods', 'zyx alia', 'a zyx heading', 'lampp', 'lamp'].map((query) => ['search_text', { query }] as const),
  ['list_notes', { attachments: true, detail: 'full' }],
  ['find_gaps', { kind: 'unresolved', note: 'Links' }],
  ['check_note', { note: 'Home', query: 'zyxword lighthouse' }],
];

/** What of the excluded files an answer shows; arguments that it repeats are not counted. */
function shown(text: string, given: object): readonly string[] {
  const repeated = JSON.stringify(given).toLowerCase();
  const words = text.toLowerCase().match(/[\p{L}\d/*-]*(?:zyx|private\/|diary-)[\p{L}\d]*/gu) ?? [];
  return words.filter((word) => !repeated.includes(word));
}

async function leaks(session: Session): Promise<string[]> {
  const found: string[] = [];
  for (const [tool, given] of LISTS) {
    const { text } = await session.call(tool, given);
    for (const word of shown(text, given)) found.push(`${tool} ${JSON.stringify(given)}: ${word}`);
  }
  for (const value of ['z', 'pri', 'Priv', 'diary']) {
    const ref = { type: 'ref/resource', uri: 'note:///{+path}' } as const;
    const { completion } = await session.client.complete({ ref, argument: { name: 'path', value } });
    found.push(...completion.values.map((each) => `completion ${value}: ${each}`));
  }
  const { resources } = await session.client.listResources();
  found.push(...shown(JSON.stringify(resources), {}));
  for (const name of ['weekly_review', 'fix_broken_links', 'clean_up_tags', 'merge_duplicates']) {
    const prompt = await session.client.getPrompt({ name, arguments: {} });
    found.push(...shown(JSON.stringify(prompt), {}).map((word) => `${name}: ${word}`));
  }
  return found;
}

test('no list, search, prompt, completion or resource has an excluded file', async (context) => {
  const session = await openSession(context, { vault: vaultOf(context) });
  await session.indexed();
  assert.deepEqual(await leaks(session), []);
});

test('answers are those of a vault without the excluded files', async (context) => {
  const all = { ...FILES, 'Links.md': '[[zyx alias]] [[Elsewhere/zyx.png]] #lamp\n', 'lamp.png': 'x' };
  const open = Object.entries(all).filter(([path]) => !/zyx/i.test(path));
  const answers: string[][] = [];
  for (const files of [Object.fromEntries(open), all]) {
    const vault = vaultOf(context, files);
    for (const path of Object.keys(files)) utimesSync(join(vault, path), LAST_CHANGE, LAST_CHANGE);
    const session = await openSession(context, { vault });
    await session.indexed();
    const of: string[] = [];
    for (const [tool, given] of SAME) {
      const { text } = await session.call(tool, given);
      of.push(
        `${tool} ${JSON.stringify(given)}\n${text.replace(/(?:position|Error-Id): .*|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')}`,
      );
    }
    answers.push(of);
    await session.close();
  }
  assert.deepEqual(answers[1], answers[0]);
});
