// Searches and reads PDFs over stdio, with the switch on, off, and different in two servers on one index.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertEach } from '../assert-each.ts';
import { encryptedPdf, pdfOf } from '../pdf/pdf-files.ts';
import { until } from '../until.ts';
import { type Answer, configFile, openSession, ROOT, type Session, temporaryFolder } from './session.ts';

const LONG = Array.from({ length: 45 }, (_, at) => `line ${at} of the appendix`).join('\n');
const PAGES = ['About herons', 'The heron eats small fish\nand stands still for hours.', LONG];
const ON = 'index: { attachments: [pdf] }\n';

function createVault(context: TestContext): string {
  const vault = temporaryFolder(context);
  const files = {
    'Birds.md': 'See ![[Heron.pdf]], [[Heron.pdf#page=2]] and [[Fish]]. The heron.\n',
    'Fish.md': 'Small fish. [[Birds]]\n',
    'Heron.pdf': pdfOf(PAGES),
    'Locked.pdf': encryptedPdf(),
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(vault, path), content);
  return vault;
}

async function openWith(context: TestContext, vault: string, settings: string, dataFolder?: string): Promise<Session> {
  const access = `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`;
  const config = configFile(context, `${access}${settings}`);
  const session = await openSession(context, { config, ...(dataFolder && { dataFolder }) });
  await session.indexed();
  return session;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
const dataOf = (answer: Answer): any => answer.structured.data;

test('PDFs are found with their page, read by page, and change no other answer', async (context) => {
  const vault = createVault(context);
  const [on, off] = [await openWith(context, vault, ON), await openWith(context, vault, '')];
  const [hit] = dataOf(await on.call('search_text', { query: 'stands still', match: 'all' })).hits;
  assert.deepEqual([hit.path, hit.page, hit.ref, hit.lines], ['Heron.pdf', 2, 'Heron.pdf#page=2', [3, 4]]);
  assert.match(hit.snippet, /stands still for hours/);
  const since = dataOf(await on.call('search_text', { query: 'heron', since: '2 days ago' })).hits;
  assert.deepEqual(since.map(({ path }: { path: string }) => path).toSorted(), ['Birds.md', 'Heron.pdf']);

  const { sections } = dataOf(await on.call('get_context', { topic: 'where the heron stands still' }));
  const section = sections.find(({ path }: { path: string }) => path === 'Heron.pdf');
  assert.deepEqual([section.page, section.ref], [2, 'Heron.pdf#page=2']);
  assert.doesNotMatch(section.text, /appendix/, 'no passage crosses pages');

  const others: readonly (readonly [string, Record<string, unknown>])[] = [
    ['list_notes', { attachments: true }],
    ['list_notes', {}],
    ['get_neighbors', { note: 'Birds' }],
    ['get_hubs', {}],
    ['find_gaps', { kind: 'unused_attachments' }],
    ['find_gaps', { kind: 'broken_links' }],
    ['find_gaps', { kind: 'orphans' }],
    ['find_related', { note: 'Birds' }],
    ['get_communities', {}],
    ['delete_note', { note: 'Heron.pdf', confirm: true }],
    ['edit_note', { note: 'Heron.pdf', edits: [{ op: 'append', text: 'x' }] }],
    ['move_note', { note: 'Heron.pdf', to: 'Egret.pdf', dry_run: true }],
    ['get_context', { notes: ['Heron.pdf'] }],
    ['create_note', { path: 'Heron.pdf', content: 'x' }],
  ];
  for (const [tool, args] of others) {
    const [withPdfs, without] = [await on.call(tool, args), await off.call(tool, args)];
    assert.deepEqual(plain(withPdfs), plain(without), `${tool} ${JSON.stringify(args)}`);
  }
});

/** Without what differs between any two servers. */
function plain({ isError, structured }: Answer): unknown {
  const { data, error } = structured;
  return JSON.parse(JSON.stringify({ isError, data, error }), (key, value) =>
    key === 'error_id' || key === 'plan_id' ? undefined : value,
  );
}

test('a PDF is read by page, by lines, as a whole with its pages numbered, and in parts', async (context) => {
  const session = await openWith(context, createVault(context), ON);
  const read = async (reference: string, more = {}) => {
    const { succeeded, failed, error } = {
      error: undefined,
      ...dataOf(await session.call('read_notes', { notes: [reference, 'Fish'], ...more })),
    };
    const { id: _id, result } = succeeded.find(({ id }: { id: string }) => id === reference) ?? {};
    return result ?? failed[0]?.error ?? error;
  };
  const page = await read('Heron.pdf#page=2');
  assert.deepEqual([page.page, page.total_pages, page.content], [2, 3, PAGES[1]]);
  assert.equal((await read('[[heron.pdf#page=2&selection=1,2,3,4]]')).content, PAGES[1]);
  assert.equal((await read('Heron.pdf:4')).content, 'and stands still for hours.');
  const whole = await read('Heron.pdf');
  assert.equal(whole.content, `${PAGES[0]}\n--- page 2 ---\n${PAGES[1]}\n--- page 3 ---\n${PAGES[2]}`);
  const first = await read('Heron.pdf', { max_chars: 700 });
  const rest = await read(first.truncated.next);
  assert.equal(`${first.content}\n${rest.content}`.replace(/\n+/g, '\n'), whole.content);
  assert.equal(rest.ref, 'Heron.pdf#page=3');
  assert.equal((await read('Heron.pdf#page=4')).code, 'NOTE_PART_NOT_FOUND');
  assert.equal((await read('Heron.pdf#Herons')).code, 'NOTE_PART_NOT_FOUND');
  const locked = await read('Locked.pdf');
  assert.deepEqual([locked.code, /it is encrypted/.test(locked.message)], ['ATTACHMENT_INVALID', true]);
  assert.match((await session.call('status')).text, /Locked\.pdf .*ATTACHMENT_INVALID.* it is encrypted/);
});

test('without the switch PDFs are not read, and pdf.js is never loaded', async (context) => {
  const session = await openWith(context, createVault(context), '');
  const { hits } = dataOf(await session.call('search_text', { query: 'heron' }));
  assertEach(hits, ({ path }: { path: string }) => path, ['Birds.md']);
  const { isError, text } = await session.call('read_notes', { notes: ['Heron.pdf#page=2'] });
  assert.ok(isError && text.includes('NOTE_NOT_FOUND'), text);
  const programs = readdirSync(join(ROOT, 'dist')).filter((name) => /\.js$/.test(name));
  const withPdfJs = programs.filter((name) =>
    readFileSync(join(ROOT, 'dist', name), 'utf8').includes('GlobalWorkerOptions'),
  );
  assert.equal(withPdfJs.length, 1, 'one part of the program contains it');
  const [part = ''] = withPdfJs;
  const importing = new RegExp(`(?:from|import) ?["']\\./${part}["']`);
  const loading = programs.filter((name) => importing.test(readFileSync(join(ROOT, 'dist', name), 'utf8')));
  assert.deepEqual(loading, [], 'it is loaded only on demand');
});

test('of two servers on one index the leader decides, and the other one finds what is there', async (context) => {
  const vault = createVault(context);
  const first = await openWith(context, vault, ON);
  const { dataFolder } = first;
  const second = await openWith(context, vault, '', dataFolder);
  const found = async (session: Session): Promise<string[]> => {
    const { hits } = dataOf(await session.call('search_text', { query: 'heron' }));
    return hits.map(({ path }: { path: string }) => path).toSorted();
  };
  assert.deepEqual(await found(second), ['Birds.md', 'Heron.pdf']);
  await first.close();
  await until(async () => (await found(second)).length === 1, 'the second server leads and removes the texts of PDFs');
});
