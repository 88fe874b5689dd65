// Folders of other note systems, over stdio: recognized by what they hold, and their files in the whole chain.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { recognizeDialect } from '../../src/providers/filesystem/dialect-signs.ts';
import { until } from '../until.ts';
import { configFile, openSession, runProgram, type Session, temporaryFolder } from './session.ts';

type Files = Readonly<Record<string, string>>;

function put(vault: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
}

async function sessionIn(context: TestContext, files: Files, more = ''): Promise<{ vault: string; session: Session }> {
  const vault = temporaryFolder(context);
  put(vault, files);
  const config = configFile(context, `vault: { path: ${vault}, access: read-write${more} }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  return { vault, session };
}

const dataOf = async (session: Session, tool: string, given: Record<string, unknown>) => {
  const { structured, isError, text } = await session.call(tool, given);
  assert.equal(isError, false, text);
  return structured.data;
};

const systemOf = async (session: Session): Promise<unknown> => (await dataOf(session, 'status', {})).vault.dialect;

const total = async (session: Session): Promise<number> =>
  (await dataOf(session, 'list_notes', { require_fresh: true })).total;

const NOTE = { 'a.md': 'Text.\n' };
const RECOGNIZED: readonly (readonly [system: string | undefined, files: Files])[] = [
  [undefined, { ...NOTE, 'b.txt': 'x', '_config.yml': 'title: Book', '_toc.yml': '' }],
  [undefined, { ...NOTE, '.obsidian/app.json': '{}', 'hugo.toml': '', 'x.qmd': '', 'y.mdx': '', 'z.markdown': '' }],
  [undefined, { ...NOTE, '.obsidian-mobile/app.json': '{}', 'mkdocs.yml': '' }],
  [undefined, { 'a.md': '+++ a sum\n\nand more = less\n', 'c.md': 'x\n+++\ntitle = "t"\n+++\n' }],
  ['hugo', { ...NOTE, 'hugo.yaml': '' }],
  ['hugo', { ...NOTE, 'content/x.md': '+++\ntitle = "X"\n+++\n' }],
  ['hugo', { ...NOTE, 'posts/_index.md': '---\ndate: 2020-01-02\ntitle: Posts\n---\n' }],
  ['hugo', { ...NOTE, '_index.fr.md': '{\n  "weight": 3, "title": "Posts"\n}\n' }],
  [undefined, { ...NOTE, '_index.md': '---\ntags: [x]\n---\ntitle: no\n', 'b/_index.md': '{{title: x}}\n' }],
  ['jekyll', { ...NOTE, '_posts/2020-01-02-name.markdown': 'x' }],
  ['jekyll', { ...NOTE, '_config.yml': '', Gemfile: '' }],
  ['mkdocs', { ...NOTE, 'mkdocs.yaml': '' }],
  ['docusaurus', { ...NOTE, 'docusaurus.config.mjs': '' }],
  ['quarto', { ...NOTE, 'chapters/x.qmd': '' }],
  ['logseq', { 'pages/a.md': '- x\n', 'journals/2020_01_02.md': '- y\n' }],
  ['zettelkasten', { '202001011200 A.md': '', '202001011201 B.md': '', '20200101120200.md': '', 'c.md': '' }],
  ['dendron', { ...NOTE, 'vault/root.md': "---\nid: r\ntitle: Root\ndesc: ''\nupdated: 1\ncreated: 1\n---\n" }],
  [undefined, { ...NOTE, 'root.md': '---\nid: r\ntitle: Root\n---\n' }],
  ['wiki', { 'Home.md': 'x\n', '_Sidebar.md': '[[Home]]\n' }],
  [undefined, { 'README.md': 'x\n', '_Sidebar.md': 'x\n' }],
  ['roam', { 'May 1st, 2021.md': '- x\n', 'May 2nd, 2021.md': '- x\n', 'June 23rd, 2021.md': '- x\n' }],
  ['markdown', { ...NOTE, '.vscode/extensions.json': '{"recommendations": ["foam.foam-vscode"]}' }],
  [undefined, { ...NOTE, '.vscode/settings.json': '{"editor.tabSize": 2}' }],
  ['markdown', { ...NOTE, 'b.markdown': '' }],
  ['markdown', { ...NOTE, 'docs/.vitepress/config.js': '' }],
  ['markdown', { ...NOTE, '.foam/templates/x.md': '' }],
  ['markdown', { ...NOTE, 'book.toml': '' }],
  ['markdown', { ...NOTE, 'src/.vuepress/config.js': '' }],
  ['markdown', { ...NOTE, 'astro.config.mjs': '' }],
  ['markdown', { ...NOTE, 'SUMMARY.md': '', 'book.json': '{}' }],
  ['jekyll', { ...NOTE, 'eleventy.config.mjs': '' }],
  ['jekyll', { ...NOTE, '.eleventy.js': '' }],
  ['jekyll', { ...NOTE, '_config.yml': '', 'scaffolds/post.md': '' }],
  ['zettelkasten', { ...NOTE, '.ztr-directory': '{}' }],
  ['text', { 'a.txt': 'x', 'folder/b.txt': 'y' }],
];

test('doctor counts what no rule reads, outside of code and in any encoding', (context) => {
  const vault = temporaryFolder(context);
  put(vault, {
    ...NOTE,
    'joplin.md': '[x](:/0123456789abcdef0123456789abcdef) `](:/0123456789abcdef0123456789abcdef)`',
    'silver.md': `\${query[[from index.tag "page"]]} \${plain}`,
    'b.md': 'See [@doe2020] and `[@no]`.\n\n- x\n\n      [@no]\n\n  ~~~\n  [@no]\n\n> ```\n> [@no]\n> ```\n',
    'd.org': 'x',
    'e.adoc': 'x',
  });
  writeFileSync(join(vault, 'c.md'), Buffer.from('\ufeffSee [@smith1999] there.\n', 'utf16le'));
  const { stdout } = runProgram(context, ['doctor', '--vault', vault]);
  assert.match(
    stdout,
    /2 files, to which links can lead: 1 \.adoc, 1 \.org; in the notes, read as plain text: 2 citations \(\[@key\]\), 1 links to notes of Joplin by their ids \(:\/id\), 1 expressions of SilverBullet/,
  );
});

test('doctor advises no change for Obsidian in the folder of another system', (context) => {
  const vault = temporaryFolder(context);
  put(vault, { 'hugo.toml': '', 'content/a.md': '---\ntags: [deep work]\n---\n' });
  const place = ['--vault', vault, '--data-dir', temporaryFolder(context)];
  runProgram(context, ['index', ...place]);
  const { stdout } = runProgram(context, ['doctor', ...place]);
  assert.match(stdout, /properties: 1 notes have tags or aliases that are read as text only.*"deep work"/);
  assert.doesNotMatch(stdout, /correct them in Obsidian/);
});

test('a folder is read as what it shows', async (context) => {
  for (const [system = 'obsidian', files] of RECOGNIZED) {
    const vault = temporaryFolder(context);
    put(vault, files);
    const { dialect } = await recognizeDialect(vault);
    assert.equal(dialect, system, JSON.stringify(files));
  }
});

const SITE: Files = {
  'docusaurus.config.js': 'x',
  'docs/intro.md': 'See [next](./next.mdx) and [[other]].\n',
  'docs/next.mdx': `import x from 'modulename';
export const exported = {
  a: 1,
};

# Next
harbour [intro](intro.md) <Component a="x > y" b={[1]}>between</Component> {expression} {/* commented */}

\`\`\`js
import shownword from 'y';
\`\`\`

## Part
lighthouse
`,
  'docs/other.markdown': '# Other\n- [ ] task\n\n#two words# #C and C# and #more words/of it#\n',
  'docs/paper.org': 'x',
  'docs/more.rst': 'x',
  'more.rst': 'x',
};

test('files with other extensions are notes in every step', async (context) => {
  const { vault, session } = await sessionIn(context, SITE);
  const text = (path: string): string => readFileSync(join(vault, path), 'utf8');
  assert.equal(await total(session), 3);
  assert.match((await session.call('search_text', { query: 'lighthouse' })).text, /docs\/next\.mdx/);
  assert.match((await session.call('read_notes', { notes: ['next#Part'] })).text, /lighthouse/);
  for (const word of ['modulename', 'Component', 'exported', 'expression', 'commented'])
    assert.doesNotMatch((await session.call('search_text', { query: word })).text, /next\.mdx/, word);
  assert.match((await session.call('search_text', { query: 'between' })).text, /next\.mdx/);
  assert.match((await session.call('search_text', { query: 'shownword' })).text, /next\.mdx/);
  const moved = { note: 'next', to: 'docs/after', confirm: true };
  assert.equal((await dataOf(session, 'move_note', moved)).path, 'docs/after.mdx');
  assert.match(text('docs/intro.md'), /\[next\]\(\.\/after\.mdx\)/);
  await dataOf(session, 'move_note', { note: 'docs/other.markdown', to: 'docs/another', confirm: true });
  assert.match(text('docs/intro.md'), /\[\[another\]\]/);
  await dataOf(session, 'set_properties', { note: 'docs/after.mdx', set: { kind: 'page' } });
  assert.match(text('docs/after.mdx'), /^---\nkind: page\n---\nimport x from/);
  await dataOf(session, 'create_note', { path: 'docs/new.mdx', content: '[[after]]\n' });
  assert.equal(await total(session), 4);
  put(vault, { 'docs/watched.qmd': 'a watched beacon\n' });
  await until(async () => (await total(session)) === 5, 'the new file');
  renameSync(join(vault, 'docs/watched.qmd'), join(vault, 'docs/watched.org'));
  await until(async () => (await total(session)) === 4, 'the renamed file');
  await dataOf(session, 'delete_note', { note: 'docs/new.mdx', confirm: true });
  assert.equal(text('.trash/docs/new.mdx'), '[[after]]\n');
  await dataOf(session, 'undo_change', {});
  assert.equal(text('docs/new.mdx'), '[[after]]\n');
  await session.close();
  const { stdout } = runProgram(context, ['doctor', '--vault', vault, '--data-dir', session.dataFolder]);
  assert.match(
    stdout,
    /not read: 5 files, to which links can lead: 2 \.org, 2 \.rst, 1 \.js; in the notes, .*: 2 tags with blanks of Bear/,
  );
  assert.match(stdout, /read as docusaurus, by the file docusaurus\.config\.js/);
});

test('in a vault of Obsidian such files stay attachments, and a setting chooses otherwise', async (context) => {
  const files = { ...SITE, '.obsidian/app.json': '{}' };
  const { vault, session } = await sessionIn(context, files);
  assert.equal(await total(session), 1);
  const unresolved = await dataOf(session, 'find_gaps', { kind: 'unresolved' });
  assert.match(JSON.stringify(unresolved), /other/);
  await session.close();
  const config = configFile(context, `vault: { path: ${vault}, dialect: markdown }\n`);
  const open = await openSession(context, { config, dataFolder: session.dataFolder });
  await open.indexed();
  assert.equal(await total(open), 3);
  await open.close();
  rmSync(join(vault, '.obsidian'), { recursive: true });
  const text = configFile(context, `vault: { path: ${vault}, dialect: text }\n`);
  put(vault, { 'plain.txt': 'the plainword\n' });
  const asText = await openSession(context, { config: text, dataFolder: session.dataFolder });
  await asText.indexed();
  assert.match((await asText.call('search_text', { query: 'plainword', require_fresh: true })).text, /plain\.txt/);
});

test('each of several vaults is read by its own rules', async (context) => {
  const [site, notes] = [temporaryFolder(context), temporaryFolder(context)];
  put(site, SITE);
  put(notes, { '.obsidian/app.json': '{}', 'one.md': '[[two]]\n', 'two.mdx': 'the twoword\n' });
  const session = await openSession(context, {
    config: configFile(context, `vaults:\n  site: { path: ${site} }\n  notes: { path: ${notes} }\n`),
  });
  const listed = async (vault: string) => (await dataOf(session, 'list_notes', { vault, require_fresh: true })).total;
  assert.deepEqual([await listed('site'), await listed('notes'), await listed('site')], [3, 1, 3]);
});

const HUGO: Files = {
  'content/posts/one.md': `+++
title = "The One"
date = 2020-01-02T10:00:00Z
tags = ["sea", 'deep/water', "two words"]
aliases = ["old one"]
[params]
deep = [1, 2.5, true]
+++
# Heading text {#anchor-id .class}
See [two]({{< ref "/posts/two.md#my-part" >}}), [b]({{% relref "two" %}}), {{< relref path="posts/two.md" lang="en" >}} #bodytag
[self](#anchor-id) and [bare]({{<ref two>}}), \`{{< ref "code" >}}\`, [gone]({{< ref "gone.md" >}})
`,
  'content/posts/two.md': '---\ntitle: Two\ntags: [sea]\n---\n## My part\nlighthouse [one](one.md#anchor-id)\n',
};

test('TOML, ref and relref of Hugo are properties and links, and TOML is never written', async (context) => {
  const { vault, session } = await sessionIn(context, HUGO);
  const one = (): string => readFileSync(join(vault, 'content/posts/one.md'), 'utf8');
  const tags = JSON.stringify((await dataOf(session, 'list_tags', {})).tags);
  assert.match(tags, /#sea 2/);
  assert.match(tags, /#deep\/water 1/);
  assert.doesNotMatch(tags, /anchor/);
  assert.equal((await dataOf(session, 'list_notes', { where: ['title = The One'] })).total, 1);
  assert.match((await session.call('read_notes', { notes: ['old one#anchor-id'] })).text, /one\.md:9-11/);
  const gaps = JSON.stringify(await dataOf(session, 'find_gaps', { kind: 'unresolved' }));
  assert.match(gaps, /gone/);
  assert.doesNotMatch(gaps, /"name":"(?!gone)/);
  await dataOf(session, 'move_note', { note: 'content/posts/two.md', to: 'content/posts/a three', confirm: true });
  const moved = HUGO['content/posts/one.md']
    ?.replaceAll('posts/two.md', 'posts/a three.md')
    .replace('relref "two"', 'relref "a three"')
    .replace('ref two', 'ref "a three"');
  assert.equal(one(), moved);
  const refused = await session.call('set_properties', { note: 'content/posts/one.md', add_tags: ['x'] });
  assert.equal(refused.structured.error.code, 'PATH_NOT_ALLOWED');
  assert.match(refused.text, /TOML/);
  await dataOf(session, 'rename_tag', { from: 'deep', to: 'ocean', confirm: true });
  assert.equal(one(), moved?.replace("'deep/water'", "'ocean/water'"));
  put(vault, { 'content/posts/bad.md': '+++\ntitle = \n+++\nthe badword\n' });
  await until(async () => (await total(session)) === 3, 'the new note');
  assert.match((await session.call('check_note', { note: 'content/posts/bad.md' })).text, /line=2 · column=\d/);
});

test('JSON front matter of Hugo is read and never written', async (context) => {
  const note =
    '{\n  "title": "A } in \\"it",\n  "tags": ["sea", "two words"],\n  "params": { "deep": [1, true] }\n}\nthe shoreword\n';
  const { vault, session } = await sessionIn(context, {
    'hugo.toml': '',
    'a.md': note,
    'b.md': '{"title": "One line", "tags": "sea", "aliases": ["first"]}\nlighthouse #sea\n',
    'c.md': '{{< figure "x" >}} {"title": "no"}\n',
    'd.md': '{ "title": "not closed",\nthe openword\n',
    'e.md': '{\n  "title": ,\n}\nthe badword\n',
    'f.md': `${'{"a":'.repeat(70)}1${'}'.repeat(70)}\n`,
    'g.md': '{"title": "More after it"} text\n',
  });
  const tags = JSON.stringify((await dataOf(session, 'list_tags', {})).tags);
  assert.match(tags, /#sea 2/);
  const titled = async (title: string) => (await dataOf(session, 'list_notes', { where: [`title = ${title}`] })).total;
  assert.deepEqual(await Promise.all(['A } in "it', 'One line', 'no', 'not closed'].map(titled)), [1, 1, 0, 0]);
  assert.equal((await dataOf(session, 'list_notes', { where: ['title exists'] })).total, 2);
  assert.match((await session.call('read_notes', { notes: ['first'] })).text, /lighthouse/);
  assert.match((await session.call('check_note', { note: 'e' })).text, /line=2 · column=12/);
  assert.match((await session.call('check_note', { note: 'f' })).text, /nested more than 64 deep/);
  const refused = await session.call('set_properties', { note: 'b', set: { title: 'x' }, confirm: true });
  assert.equal(refused.structured.error.code, 'PATH_NOT_ALLOWED');
  assert.match(refused.text, /properties are JSON/);
  await dataOf(session, 'rename_tag', { from: 'sea', to: 'ocean', confirm: true });
  assert.equal(readFileSync(join(vault, 'a.md'), 'utf8'), note.replace('"sea"', '"ocean"'));
  const edits = [{ op: 'append', text: 'end' }];
  await dataOf(session, 'edit_note', { note: 'a', edits, confirm: true });
  assert.equal(readFileSync(join(vault, 'a.md'), 'utf8'), `${note.replace('"sea"', '"ocean"')}\nend\n`);
});

test('TOML front matter whose keys nest without brackets fails no call, and is said to be too deep', async (context) => {
  const deep = `a${'.a'.repeat(20_000)}`;
  const { session } = await sessionIn(context, {
    'hugo.toml': '',
    'table.md': `+++\n[${deep}]\nb = 1\n+++\nthe shoreword\n`,
    'key.md': `+++\n${deep} = 1\n+++\nthe shoreword\n`,
    'tagged.md': '+++\ntags = ["sea"]\n+++\nthe shoreword\n',
  });
  for (const note of ['table', 'key']) {
    assert.match((await session.call('check_note', { note })).text, /nested more than 64 deep/);
    await dataOf(session, 'edit_note', { note, edits: [{ op: 'append', text: 'end' }], confirm: true });
  }
  assert.equal((await dataOf(session, 'search_text', { query: 'shoreword' })).total, 3);
  await dataOf(session, 'rename_tag', { from: 'sea', to: 'ocean', confirm: true });
});

test('post_url and link of Jekyll are links, also with an anchor after them', async (context) => {
  const text = `[a]({% post_url 2020-01-02-name %}#part-one) [b]({{ site.baseurl }}{% link _posts/2020-01-02-name.md %})
[c]: {% post_url 2020-01-02-name %}
[c] {%- link pages/a page.md -%}
`;
  const { vault, session } = await sessionIn(context, {
    '_posts/2020-01-02-name.md': '## Part one\nx\n\n## Other {: #x-id}\n',
    '_posts/2020-01-03-b.md': text,
    'pages/a page.md': 'See [x](../_posts/2020-01-02-name.md#x-id).\n',
  });
  const { neighbors, unresolved } = await dataOf(session, 'get_neighbors', { note: '2020-01-03-b' });
  assert.deepEqual([neighbors.length, unresolved], [2, []]);
  assert.equal((await dataOf(session, 'find_gaps', { kind: 'unresolved' })).total, 0);
  await dataOf(session, 'move_note', { note: '2020-01-02-name', to: '_posts/2020-01-02-new', confirm: true });
  const now = readFileSync(join(vault, '_posts/2020-01-03-b.md'), 'utf8');
  assert.equal(now, text.replaceAll('02-name', '02-new'));
});

test('in a vault of Obsidian none of it has a meaning', async (context) => {
  const { session } = await sessionIn(context, { ...HUGO, '.obsidian/app.json': '{}' });
  assert.match(JSON.stringify((await dataOf(session, 'list_tags', {})).tags), /#anchor-id|#sea 1/);
  assert.equal((await dataOf(session, 'list_notes', { where: ['title exists'] })).total, 1);
});

test('pages, tasks and folders of Logseq are read as it shows them', async (context) => {
  const { vault, session } = await sessionIn(context, {
    'logseq/config.edn': '{}',
    'logseq/bak/pages/old.md': 'the bakword\n',
    'journals/2020_01_02.md': '- TODO buy a lighthouse\n- ### DONE sell it\n- LATER\n- TODOS none\n- CANCELED gone\n',
    'pages/area___deep.md': '- [[what?]] and [[area/old]] and [[plain]]\n',
    'pages/area%2Fold.md': '- x\n',
    'pages/times.md':
      '## Part\n\t- idword is shown\n\t  collapsed:: true\n- x\n  id:: 64a5f9b2-2222-4222-8333-abcdefabcdef\n  :LOGBOOK:\n  CLOCK: [2022-08-25 Thu 10:26:44]\n  :END:\n  ```\n  id:: codeword\n  ```\n',
    'pages/what%3F.md':
      '- see [[area/deep]] and [[Area/Later]]\n  id:: 64a5f9b2-1111-4222-8333-abcdefabcdef\n  collapsed:: true\n  own:: x\n',
    'pages/plain.md':
      'title:: Plain Page\nalias:: simple, other name\ntags:: one, [[plain]], #three\ntype:: [[what?]]\n\n- DOING plain\n',
  });
  assert.equal(await total(session), 6);
  assert.doesNotMatch((await session.call('search_text', { query: 'bakword' })).text, /old\.md/);
  for (const day of ['2020-01-02', 'Jan 2nd, 2020', 'Thursday, 02.01.2020'])
    assert.match((await session.call('read_notes', { notes: [day] })).text, /buy a lighthouse/, day);
  const shown = await session.call('read_notes', { notes: ['times'] });
  assert.match(shown.text, /idword is shown\n\s*- x[^:]*```\n {2}id:: codeword/);
  for (const query of ['64a5f9b2', 'logbook', 'collapsed', '10:26:44'])
    assert.doesNotMatch((await session.call('search_text', { query })).text, /times\.md|what/, query);
  assert.match((await session.call('search_text', { query: 'codeword' })).text, /times\.md/);
  const names = (await dataOf(session, 'list_properties', {})).properties.map(({ name }: { name: string }) => name);
  assert.deepEqual(names.sort(), ['alias', 'own', 'tags', 'title', 'type']);
  const tasks = (await dataOf(session, 'list_tasks', { status: 'any' })).tasks;
  const texts = JSON.stringify(tasks);
  assert.match(texts, /buy a lighthouse.*sell it.*gone.*"plain"/);
  assert.doesNotMatch(texts, /TODO|none/);
  assert.equal((await dataOf(session, 'list_tasks', { status: 'open' })).total, 2);
  assert.equal((await dataOf(session, 'list_notes', { where: ['title = Plain Page'] })).total, 1);
  assert.match((await session.call('read_notes', { notes: ['other name'] })).text, /plain\.md/);
  assert.match(JSON.stringify((await dataOf(session, 'list_tags', {})).tags), /#one 1.*#three 1/);
  await dataOf(session, 'set_properties', { note: 'pages/plain.md', set: { type: 'x' }, confirm: true });
  assert.match(readFileSync(join(vault, 'pages/plain.md'), 'utf8'), /#three\ntype:: x\n\n- DOING/);
  const property = await session.call('set_properties', { note: 'pages/plain.md', add_tags: ['four'], confirm: true });
  assert.match(property.text, /lines `key:: value` of Logseq/);
  const { neighbors, unresolved } = await dataOf(session, 'get_neighbors', { note: 'area/deep' });
  assert.deepEqual([neighbors.length, unresolved], [3, []]);
  put(vault, { 'pages/area___later.md': '- now\n' });
  await until(async () => (await total(session)) === 7, 'the new page');
  assert.equal((await dataOf(session, 'find_gaps', { kind: 'unresolved' })).total, 0);
  const edits = [{ op: 'set_task', target: 'buy a lighthouse', status: 'done' }];
  const refused = await session.call('edit_note', { note: '2020_01_02', edits, confirm: true });
  assert.match(refused.text, /is a task of Logseq/);
  const made = await dataOf(session, 'create_note', { path: '@today', content: '- x\n' });
  assert.match(made.path, /^journals\/\d{4}_\d\d_\d\d\.md$/);
  await dataOf(session, 'move_note', { note: 'area/deep', to: 'pages/area___deeper', confirm: true });
  assert.equal((await dataOf(session, 'find_gaps', { kind: 'unresolved' })).total, 0);
});

/** Links that lead to a note each, in the order of the line, and the one of them that leads nowhere. */
const PAGES: readonly (readonly [system: string, files: Files, links: string, targets: readonly (string | null)[]])[] =
  [
    [
      'hugo',
      {
        'hugo.toml': '',
        'content/_index.md': 'home\n',
        'content/posts/_index.md': 'posts\n',
        'content/posts/Two Words/index.md': '---\naliases: [/old/two/, older]\n---\n',
        'content/posts/slugged.md': '+++\nslug = "by-slug"\n+++\n# X\n',
        'content/posts/at-url.md': '{"url": "/any/where/"}\n',
        'content/about.fr.md': 'x\n',
        'content/posts/here.md':
          '[a](/posts/two-words/) [b](../two-words/) [c](/posts/by-slug#x) [d](/any/where/) [e](/old/two) [f](/posts/older/) {{< ref "/posts/Two Words" >}} [g](/posts/) [h](/) [i](/fr/about/) [j](/no/) {{< relref "by-slug" >}} [k](two-words/)\n',
      },
      'content/posts/here.md',
      [
        'Two Words/index',
        'Two Words/index',
        'slugged',
        'at-url',
        'Two Words/index',
        'Two Words/index',
        'Two Words/index',
        'posts/_index',
        'content/_index',
        'about.fr',
        null,
        'slugged',
        'Two Words/index',
      ],
    ],
    [
      'docusaurus',
      {
        'docusaurus.config.js': '',
        'docs/01-intro.md': 'x\n',
        'docs/02-guides/README.md': 'x\n',
        'docs/02-guides/03-deep.mdx': '---\nid: other-id\n---\n',
        'docs/02-guides/tools/Tools.md': 'x\n',
        'docs/start.md': '---\nslug: /\n---\n',
        'docs/rel.md': '---\nslug: relative\n---\n',
        'blog/2020-01-02-post.md': 'x\n',
        'docs/2020-roadmap.md': 'x\n',
        'docs/02-guides/here.md':
          '[a](/docs/intro) [b](../intro) [c](./other-id) [d](/docs/guides/deep) [e](/docs/guides/) [f](tools) [g](/docs/) [h](/docs/relative) [i](/blog/2020/01/02/post) [j](../01-intro.md) [k](intro) [l](../none) [m](/docs/roadmap)\n',
      },
      'docs/02-guides/here.md',
      ['intro', 'intro', 'deep', 'deep', 'README', 'Tools', 'start', 'rel', 'post', 'intro', 'intro', null, 'roadmap'],
    ],
    [
      'jekyll',
      {
        '_config.yml': '',
        Gemfile: '',
        '_posts/2020-01-02-one.md': 'x\n',
        'about.md': '---\npermalink: /who/are-we/\nredirect_from: [/us.html]\n---\n',
        '_docs/part.md': 'x\n',
        'index.md':
          '[a](/2020/01/02/one.html) [b](/one/) [c](/who/are-we/) [d](/us.html) [e](docs/part.html) [f](/about.html) [g](gone.html)\n',
      },
      'index.md',
      ['one', 'one', 'about', 'about', 'part', 'about', null],
    ],
    [
      'mkdocs',
      {
        'mkdocs.yml': '',
        'docs/index.md': 'x\n',
        'docs/a/b.md': 'x\n',
        'docs/a/README.md': 'x\n',
        'docs/c.md': '[a](../a/b/) [b](a/b/) [c](a/) [d](/a/b/) [e](../) [f](../none/)\n',
      },
      'docs/c.md',
      ['a/b', 'a/b', 'README', 'a/b', 'docs/index', null],
    ],
    [
      'markdown',
      {
        'astro.config.mjs': '',
        'src/content/blog/first.md': '---\nslug: hello\n---\n',
        'src/content/blog/second.mdx': '---\npermalink: /own/\n---\n',
        'src/pages/here.md': '[a](/blog/hello/) [b](/blog/second) [c](/own) [d](/blog/none)\n',
      },
      'src/pages/here.md',
      ['first', 'second', 'second', null],
    ],
    [
      'quarto',
      {
        '_quarto.yml': '',
        'index.qmd': '[a](a/b.html) [b](/a/index.html) [c](old.html) [d](no.html)\n',
        'a/b.qmd': '---\naliases: [/old.html]\n---\n',
        'a/index.qmd': 'x\n',
      },
      'index.qmd',
      ['a/b', 'a/index', 'a/b', null],
    ],
  ];

test('links by the address of a page lead to its note', async (context) => {
  for (const [system, files, note, targets] of PAGES) {
    const { session } = await sessionIn(context, files);
    assert.equal(await systemOf(session), system);
    const { links } = (await dataOf(session, 'read_notes', { notes: [note], include: ['links'] })).succeeded[0].result;
    const leads = links.map(({ path }: { path?: string }) => path ?? null);
    const wanted = targets.map(
      (target) => target && Object.keys(files).find((path) => path.replace(/\.\w+$/, '').endsWith(target)),
    );
    assert.deepEqual(leads, wanted, system);
    await session.close();
  }
});

test('links by the address of a page follow moves of pages, and those that front matter gives stay', async (context) => {
  const moved = async (system: string, note: string, to: string, links: string, back: string): Promise<void> => {
    const [, files = {}, source = ''] = PAGES.find(([name]) => name === system) ?? [];
    const { vault, session } = await sessionIn(context, files);
    const text = (path: string): string => readFileSync(join(vault, path), 'utf8');
    const linking = note === source ? to : source;
    await dataOf(session, 'move_note', { note, to, confirm: true, allow_broken: true });
    assert.equal(text(linking), links);
    const { total } = await dataOf(session, 'find_gaps', { kind: 'unresolved', require_fresh: true });
    assert.equal(total, system === 'hugo' && note !== source ? 2 : 1);
    await dataOf(session, 'move_note', { note: to, to: note, confirm: true });
    assert.equal(text(source), back);
    await session.close();
  };
  const textOf = (system: string): string => {
    const [, files = {}, source = ''] = PAGES.find(([name]) => name === system) ?? [];
    return files[source] ?? '';
  };
  const mkdocs = textOf('mkdocs');
  await moved('mkdocs', 'docs/a/b.md', 'docs/e/f.md', mkdocs.replaceAll('a/b/', 'e/f/'), mkdocs);
  const below = '[a](../b/) [b](b/) [c](../) [d](/a/b/) [e](../../) [f](../none/)\n';
  await moved('mkdocs', 'docs/c.md', 'docs/a/c.md', below, mkdocs);
  const hugo = textOf('hugo');
  const two = hugo
    .replace('/posts/two-words/', '/notes/three/')
    .replace('../two-words/', '../../notes/three/')
    .replace('ref "/posts/Two Words"', 'ref "/notes/three"')
    .replace('(two-words/)', '(../notes/three/)');
  await moved('hugo', 'content/posts/Two Words/index.md', 'content/notes/three/index.md', two, hugo);
  const docusaurus = textOf('docusaurus');
  const first = docusaurus
    .replace('/docs/intro', '/docs/guides/first')
    .replace('(../intro)', '(first)')
    .replace('../01-intro.md', '04-first.md')
    .replace('(intro)', '(guides/first)');
  await moved('docusaurus', 'docs/01-intro.md', 'docs/02-guides/04-first.md', first, docusaurus);
});

const [FIRST, SECOND, DEAD] = ['1', '2', '3'].map((digit) => `6${digit}9a1b2c-0d4e-4f6a-8b0c-1d2e3f4a5b6c`);
const GRAPH: Files = {
  'logseq/config.edn': '{}',
  'journals/2020_01_02.md': `- Before it, ((${FIRST})) is meant. After it.
- {{embed ((${SECOND}))}} and \`((${DEAD}))\` and [words](((${FIRST?.toUpperCase()})))
- ((${DEAD})) ((no-id)) #[[two words]] [shown]([[Plain Page]])
`,
  'pages/plain.md': `title:: Plain Page
alias:: simple, a/b

- above
- a block
  id:: ${FIRST}
  collapsed:: true
\t- its child
- ## Heading
  id:: ${SECOND}
- below
`,
  'pages/two words.md': '- [[Simple]] [[a/B]] [[plain page|it]] [[Jan 2nd, 2020]] [[Missing]]\n',
};

test('block references, aliases, titles and days of Logseq are links that survive moves', async (context) => {
  const { vault, session } = await sessionIn(context, GRAPH);
  const text = (path: string): string => readFileSync(join(vault, path), 'utf8');
  const gaps = async () =>
    (await dataOf(session, 'find_gaps', { kind: 'unresolved', require_fresh: true })).gaps.map(
      (gap: { name: string }) => gap.name,
    );
  assert.deepEqual((await gaps()).sort(), [DEAD, 'Missing']);
  const near = await dataOf(session, 'get_neighbors', { note: 'journals/2020_01_02', direction: 'out' });
  assert.deepEqual(near.neighbors.map(({ path }: { path: string }) => path).sort(), [
    'pages/plain.md',
    'pages/two words.md',
  ]);
  assert.match(JSON.stringify(near), /is meant/);
  const back = await dataOf(session, 'get_neighbors', { note: 'plain', direction: 'in' });
  assert.equal(back.neighbors.length, 2);
  for (const named of [`plain#^${FIRST}`, `${FIRST}#^${FIRST}`])
    assert.match((await session.call('read_notes', { notes: [named] })).text, /a block[\s\S]*its child/);
  assert.doesNotMatch((await session.call('read_notes', { notes: [`plain#^${FIRST}`] })).text, /above|Heading/);
  await dataOf(session, 'move_note', { note: 'pages/plain.md', to: 'pages/other', confirm: true });
  for (const path of ['journals/2020_01_02.md', 'pages/two words.md']) assert.equal(text(path), GRAPH[path]);
  assert.deepEqual((await gaps()).sort(), [DEAD, 'Missing']);
  await dataOf(session, 'undo_change', {});
  await dataOf(session, 'move_note', { note: 'pages/two words.md', to: 'pages/more words', confirm: true });
  assert.match(text('journals/2020_01_02.md'), /#\[\[more words\]\] \[shown\]\(\[\[Plain Page\]\]\)/);
  put(vault, {
    'pages/plain.md': '- nothing\n',
    'pages/late.md': `alias:: missing\n\n- here\n  id:: ${DEAD}\n`,
  });
  const lost = [FIRST, FIRST?.toUpperCase(), SECOND, 'Plain Page', 'Simple', 'a/B', 'plain page'].sort();
  await until(async () => isDeepStrictEqual((await gaps()).sort(), lost), 'the other names');
  rmSync(join(vault, 'pages/late.md'));
  await until(async () => (await gaps()).includes(DEAD), 'the removed note');
});

test('a link by the id of a Zettelkasten leads to the note whose name begins with it', async (context) => {
  const { vault, session } = await sessionIn(context, {
    '202001011200 First.md': '[[202001011201]] and [[202001011202]], [[202001011201 Second]] and [[20200101]]\n',
    '202001011201 Second.md': 'see [[202001011200|it]]\n',
    'deep/20200101120000.txt': 'x\n',
  });
  const gaps = async () => (await dataOf(session, 'find_gaps', { kind: 'unresolved' })).total;
  assert.equal(await gaps(), 2);
  for (const note of ['202001011201 Second', '202001011201'])
    assert.equal((await dataOf(session, 'get_neighbors', { note })).total, 1);
  put(vault, { 'deep/202001011202-third.md': 'x\n' });
  await until(async () => (await gaps()) === 1, 'the new note');
  await dataOf(session, 'move_note', { note: '202001011201 Second', to: 'deep/202001011201 Other', confirm: true });
  const first = readFileSync(join(vault, '202001011200 First.md'), 'utf8');
  assert.match(first, /^\[\[202001011201\]\] and \[\[202001011202\]\], \[\[202001011201 Other\]\]/);
  assert.equal(await gaps(), 1);
});
