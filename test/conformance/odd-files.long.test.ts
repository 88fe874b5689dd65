// Indexes and exports unusual files: each has a defined result and does not affect other files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, type TestContext, test } from 'node:test';
import { assertEach } from '../assert-each.ts';
import { openSession, temporaryFolder } from '../journeys/session.ts';
import { type ExportedNote, exportOnce, exportVault, runProgram } from './exported-vault.ts';
import { temporaryVault } from './temporary-vault.ts';

const BROKEN = join(import.meta.dirname, '../../vault-fixtures/broken');
const MEBIBYTE = 1024 * 1024;

const linksIn = (note: ExportedNote | undefined) => note?.links.map(({ link, line }) => `${link}:${line}`);
const faultsIn = (note: ExportedNote | undefined) =>
  (note?.faults ?? []).map(({ code, line, column }) =>
    [code, line, column].filter((part) => part !== undefined).join(':'),
  );

suite('the vault of broken notes', () => {
  let vault: Map<string, ExportedNote>;
  before(async () => {
    vault = await exportOnce(BROKEN);
  });

  test('has a quarantine entry with line and column for each file that does not parse, and for no other', () => {
    const faults = [...vault.values()].flatMap((note) => faultsIn(note).map((fault) => `${note.path} ${fault}`));
    assert.deepEqual(faults, [
      'Broken YAML.md PROPERTIES_INVALID:2:8',
      'Deep too.md PROPERTIES_INVALID:2:74',
      'Deep.md PROPERTIES_INVALID:2:70',
      'Laughs.md PROPERTIES_INVALID:2:32',
      'List.canvas CANVAS_INVALID',
      'Name twice.md PROPERTIES_INVALID:4:1',
      'Tab indent.md PROPERTIES_INVALID:3:1',
      'Torn.canvas CANVAS_INVALID',
    ]);
  });

  test('gives no properties for invalid front matter, and still reads the body', () => {
    for (const path of ['Broken YAML.md', 'Name twice.md', 'Tab indent.md', 'Deep.md', 'Laughs.md']) {
      assert.deepEqual(vault.get(path)?.properties, {}, path);
    }
    assertEach(vault.get('Broken YAML.md')?.headings, ({ text }) => text, ['Broken YAML']);
    assert.deepEqual(vault.get('Broken YAML.md')?.tags, []);
    assert.deepEqual(linksIn(vault.get('Name twice.md')), ['Broken YAML:6']);
    assert.deepEqual(vault.get('Tab indent.md')?.tags, ['#buoy']);
  });

  test('reads byte order marks, line endings and control characters as Obsidian does', () => {
    assert.deepEqual(vault.get('With a mark.md')?.tags, ['#mark/first']);
    assert.deepEqual(vault.get('With a mark.md')?.aliases, ['Marked']);
    assert.deepEqual(vault.get('Windows ends.md')?.properties, { tags: ['ends'], written: '2026-11-20' });
    assert.deepEqual(linksIn(vault.get('Old Mac ends.md')), ['Windows ends:3']);
    assertEach(vault.get('Old Mac ends.md')?.headings, ({ line }) => line, [1, 4]);
    assert.deepEqual(linksIn(vault.get('Mixed ends.md')), ['Empty:4']);
    assert.deepEqual(linksIn(vault.get('A hole in it.md')), ['Empty:3']);
    assert.deepEqual(vault.get('Daily template.md')?.properties, { made: { '{date}': null }, title: '{{title}}' });
    assert.deepEqual(vault.get('Script.md')?.properties, {});
  });

  test('flags bytes that are not text, and reads the rest', () => {
    const flagged = [...vault.values()].filter(({ encoding }) => encoding === 'invalid').map(({ path }) => path);
    assert.deepEqual(flagged, ['Not text.md', 'Wrong bytes.md']);
    assert.deepEqual(linksIn(vault.get('Wrong bytes.md')), ['Empty:3']);
  });

  test('indexes empty notes', () => {
    for (const path of ['Empty.md', 'Only blanks.md', 'Blank.canvas']) {
      const { links, tags, headings, faults, title } = vault.get(path) as ExportedNote;
      assert.deepEqual(
        { links, tags, headings, faults },
        { links: [], tags: [], headings: [], faults: undefined },
        path,
      );
      assert.equal(title, path.replace('.md', ''));
    }
  });

  test('can be searched by the text of its bodies, and its errors are listed in status', async (context) => {
    const dataFolder = temporaryFolder(context);
    const common = ['--vault', BROKEN, '--data-dir', dataFolder];
    const indexed = await runProgram(['index', '--json', ...common]);
    assert.equal(indexed.status, 2);
    const failed = JSON.parse(indexed.stdout).failed.map(({ id }: { id: string }) => id);
    assert.deepEqual(failed.toSorted(), ['List.canvas', 'Torn.canvas']);
    const found = await runProgram(['call', 'search_text', '{"query": "twelve OR red"}', ...common]);
    assert.match(found.stdout, /Tab indent\.md/);
    const status = await runProgram(['call', 'status', '{}', ...common]);
    assert.match(status.stdout, /PROPERTIES_INVALID/);
    assert.equal((await runProgram(['index', '--json', ...common])).status, 0);
    assert.deepEqual(faultsIn((await exportVault(BROKEN, dataFolder)).get('Torn.canvas')), ['CANVAS_INVALID']);
  });
});

test('front matter with several documents is an error, and none of it is used', async (context) => {
  const folder = temporaryVault(context, {
    'One.md': '---\na: 1\n...\nb: 2\n---\n#body\n',
    'Two.md': '---\na: 1\n--- {b: 2}\n---\n#body\n',
  });
  for (const [path, note] of await exportOnce(folder)) {
    assert.deepEqual(note.properties, {}, path);
    assert.match(faultsIn(note).join(), /^PROPERTIES_INVALID:[34]:\d+$/, path);
    assert.deepEqual(note.tags, ['#body'], path);
  }
});

test("brackets that exceed the parser's limit in two notes give two errors and no more", async (context) => {
  const deep = {
    open: '['.repeat(900),
    comment: `a:\n${' [ # ]\n'.repeat(8_000)}`,
    text: `a: ${'[ "]", '.repeat(8_000)}`,
  };
  const files = Object.entries(deep).flatMap(([name, yaml]) =>
    [1, 2].map((twin) => [`${name} ${twin}.md`, `---\n${yaml}\n---\n[[Fine]]\n`]),
  );
  const folder = temporaryVault(context, { ...Object.fromEntries(files), 'Fine.md': '---\na: 1\n---\n' });
  const vault = await exportOnce(folder);
  assert.deepEqual(vault.get('Fine.md')?.properties, { a: 1 });
  for (const [path] of files) {
    assert.match(faultsIn(vault.get(path ?? '')).join(), /^PROPERTIES_INVALID/, path);
    assert.equal(vault.get(path ?? '')?.links[0]?.path, 'Fine.md', path);
  }
});

test('a line of 128,000 characters is read like any other', async (context) => {
  const line = `${'word '.repeat(25_600)}[[Fine]] #end`;
  const folder = temporaryVault(context, { 'Long.md': `${line}\n\n## Behind\n`, 'Fine.md': '' });
  const note = (await exportOnce(folder)).get('Long.md');
  assertEach(note?.links, ({ path, line: at, column }) => [path, at, column], [['Fine.md', 1, 128_001]]);
  assert.deepEqual(note?.tags, ['#end']);
  assertEach(note?.headings, ({ line: at }) => at, [3]);
});

test('a file larger than 32 MiB is listed and quarantined with its size, also after the next scan', async (context) => {
  const folder = temporaryVault(context, { 'Start.md': '[[Huge]]', 'Huge.md': Buffer.alloc(33 * MEBIBYTE, 'a ') });
  const dataFolder = temporaryFolder(context);
  const indexed = await runProgram(['index', '--json', '--vault', folder, '--data-dir', dataFolder]);
  assert.equal(indexed.status, 2);
  for (let run = 0; run < 2; run += 1) {
    const vault = await exportVault(folder, dataFolder);
    assert.equal(vault.get('Start.md')?.links[0]?.path, 'Huge.md');
    const [fault] = vault.get('Huge.md')?.faults ?? [];
    assert.equal(fault?.code, 'LIMIT_EXCEEDED');
    assert.match(fault?.reason ?? '', /34603008/);
  }
});

test('pipes, folders named like notes and links out of the vault are listed and never read', async (context) => {
  const outside = temporaryVault(context, { 'Secret.md': '#secret' });
  const folder = temporaryVault(context, { 'Start.md': '[[Secret]] [[Pipe]]' });
  mkdirSync(join(folder, 'Folder.md'));
  writeFileSync(join(folder, 'Folder.md/Inside.md'), '#inside');
  symlinkSync(join(outside, 'Secret.md'), join(folder, 'Secret.md'));
  symlinkSync(outside, join(folder, 'away'));
  symlinkSync('.', join(folder, 'loop'));
  symlinkSync('nowhere.md', join(folder, 'Dangling.md'));
  assert.equal(spawnSync('mkfifo', [join(folder, 'Pipe.md')]).status, 0);
  const dataFolder = temporaryFolder(context);
  const vault = await exportVault(folder, dataFolder);
  assert.deepEqual([...vault.keys()], ['Folder.md/Inside.md', 'Start.md']);
  assertEach(vault.get('Start.md')?.links, ({ path }) => path, [null, null]);
  const again = await runProgram(['export', '--vault', folder, '--data-dir', dataFolder]);
  assert.match(again.stderr, /6 files were not read completely/);
  const status = await runProgram(['call', 'status', '{}', '--vault', folder, '--data-dir', dataFolder]);
  for (const path of ['Folder.md', 'Secret.md', 'away', 'loop', 'Dangling.md', 'Pipe.md']) {
    assert.ok(status.stdout.includes(`"${path}"`), `${path} is named`);
  }
});

test('a note of 20 MB is indexed completely while other calls run', async (context) => {
  const paragraph = `${'The tide comes in over the flats. '.repeat(20)}See [[Harbour]] and #tide.\n\n`;
  const times = Math.ceil((20 * 1_000_000) / paragraph.length);
  const vault = temporaryVault(context, { 'Harbour.md': 'Quay.' });
  const session = await openSession(context, { vault });
  await session.indexed();
  writeFileSync(join(vault, 'Long.md'), `${paragraph.repeat(times)}# The end\n`);
  let state: string | undefined;
  const indexing = session.indexed().then((job) => {
    state = job.state;
  });
  let answered = 0;
  while (state === undefined) {
    const answer = await session.call('search_text', { query: 'quay' });
    assert.equal(answer.structured.data.hits[0].path, 'Harbour.md', answer.text);
    answered += 1;
  }
  await indexing;
  assert.equal(state, 'succeeded');
  assert.ok(answered > 5, `${answered} calls were answered meanwhile`);
  const outline = await session.call('read_notes', { notes: ['Long'], include: ['outline'] });
  assert.equal(outline.structured.data.succeeded[0].result.outline[0].line, 2 * times + 1);
  const { neighbors } = (await session.call('get_neighbors', { note: 'Long', direction: 'out' })).structured.data;
  assertEach(neighbors, ({ path }: { path: string }) => path, ['Harbour.md']);
});

suite('canvases and bases', () => {
  const card = (more: object): object => ({ id: 'x', x: 0, y: 0, width: 9, height: 9, ...more });
  const FILES = {
    'Board.canvas': JSON.stringify({
      nodes: [card({ type: 'text', text: '# On\n[[Ebb]] #flow' }), card({ type: 'file', file: 'Odd #1.md' })],
      edges: [],
    }),
    'Books.base': 'views:\n  - type: table\n',
    'Torn.canvas': '{"nodes": [',
    'Ebb.md': '[[Board.canvas]] ![[Books.base]]',
  };

  function neighborsOf(dataFolder: string, vault: string, note: string): Promise<Set<string>> {
    const given = JSON.stringify({ note });
    return runProgram(['call', 'get_neighbors', given, '--vault', vault, '--data-dir', dataFolder]).then(
      ({ stdout }) => {
        const { data } = JSON.parse(stdout);
        return new Set(data.neighbors.map(({ path }: { path: string }) => path));
      },
    );
  }

  test('are nodes of the graph like notes', async (context: TestContext) => {
    const vault = temporaryVault(context, FILES);
    const dataFolder = temporaryFolder(context);
    const exported = await exportVault(vault, dataFolder);
    assert.deepEqual([...exported.keys()], ['Board.canvas', 'Books.base', 'Ebb.md', 'Torn.canvas']);
    assert.deepEqual(exported.get('Board.canvas')?.tags, ['#flow']);
    assert.deepEqual(faultsIn(exported.get('Torn.canvas')), ['CANVAS_INVALID']);
    assert.deepEqual(exported.get('Torn.canvas')?.links, []);
    const listed = await runProgram(['call', 'list_notes', '{}', '--vault', vault, '--data-dir', dataFolder]);
    assert.equal(JSON.parse(listed.stdout).data.total, 4);
    assert.deepEqual(await neighborsOf(dataFolder, vault, 'Ebb'), new Set(['Board.canvas', 'Books.base']));
    assert.deepEqual(await neighborsOf(dataFolder, vault, 'Books.base'), new Set(['Ebb.md']));
  });

  test('resolve links to a file with # in its name when it is added, and until it is deleted', async (context: TestContext) => {
    const vault = temporaryVault(context, FILES);
    const dataFolder = temporaryFolder(context);
    const target = async () => (await exportVault(vault, dataFolder)).get('Board.canvas')?.links[1]?.path;
    assert.equal(await target(), null);
    writeFileSync(join(vault, 'Odd #1.md'), '');
    assert.equal(await target(), 'Odd #1.md');
    rmSync(join(vault, 'Odd #1.md'));
    assert.equal(await target(), null);
  });
});
