// Reads images of a vault over stdio, as tool answers and as resources, and what is refused.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startRawServer } from './raw-server.ts';
import { configFile, openSession, temporaryFolder } from './session.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const LIMIT = 100;

test('images are shown up to the limit, from their content and not from their name', async (context) => {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, 'sub'));
  writeFileSync(join(vault, 'Note.md'), '![[photo.png]]');
  writeFileSync(join(vault, 'photo.png'), PNG);
  writeFileSync(join(vault, 'sub/really a png.jpg'), PNG);
  writeFileSync(join(vault, 'no image.gif'), 'plain text');
  writeFileSync(join(vault, 'large.png'), Buffer.concat([PNG, Buffer.alloc(LIMIT)]));
  const config = configFile(context, `vault: { path: ${vault} }\nlimits: { image: ${LIMIT} }\n`);
  const session = await openSession(context, { vault, config });
  await session.indexed();
  const { client } = session;
  const read = async (...notes: string[]) => {
    const { content, structuredContent } = await client.callTool({ name: 'read_notes', arguments: { notes } });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
    return { images: (content as any[]).filter(({ type }) => type === 'image'), structured: structuredContent as any };
  };

  const { images, structured } = await read('photo.png', 'really a png.jpg', 'no image.gif', 'large.png', 'Note');
  const data = PNG.toString('base64');
  assert.deepEqual(images, Array(2).fill({ type: 'image', mimeType: 'image/png', data }));
  const [photo, jpg, note] = structured.data.succeeded;
  assert.deepEqual([photo.id, photo.result.type, photo.result.size_bytes], ['photo.png', 'image/png', PNG.length]);
  assert.equal(jpg.result.path, 'sub/really a png.jpg');
  assert.equal(note.result.content, '![[photo.png]]');
  const codes = structured.data.failed.map(({ error }: { error: { code: string } }) => error.code);
  assert.deepEqual(codes, ['ATTACHMENT_INVALID', 'LIMIT_EXCEEDED']);
  const { message, hint } = structured.data.failed[1].error;
  assert.match(message, /^the size of large\.png in bytes is/);
  assert.match(hint, /a smaller copy of the image/);

  const { contents } = await client.readResource({ uri: 'note:///photo.png' });
  const [{ _meta, ...blob }] = contents as unknown as [Record<string, unknown>];
  assert.deepEqual(blob, { uri: 'note:///photo.png', mimeType: 'image/png', blob: data });
  await assert.rejects(client.readResource({ uri: 'note:///missing.png' }), { code: -32002 });
  await assert.rejects(client.readResource({ uri: 'note:///no%20image.gif' }), /not a PNG/);
});

type Part = { readonly type: string; readonly uri?: string };
const linksIn = (content: readonly Part[]): readonly Part[] => content.filter(({ type }) => type === 'resource_link');

test('embedded files come as links, which can be read, in every form of an answer', async (context) => {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, 'files'));
  const text =
    'Tide chart. ![[chart 1.png|100]] ![p](files/Paper.pdf#page=2) ![[talk.mp3]] ![[Other]] ![[gone.png]] [[plan.pdf]]';
  writeFileSync(
    join(vault, 'Note.md'),
    `${text}\n\n\`![[talk.mp3]]\`\n\n## Map\n\n![[Board.canvas]] ![[chart 1.png]]\n`,
  );
  writeFileSync(join(vault, 'Other.md'), 'x');
  writeFileSync(join(vault, 'Board.canvas'), '{"nodes":[],"edges":[]}');
  for (const [name, bytes] of [
    ['chart 1.png', PNG],
    ['Paper.pdf', '%PDF-1.4'],
    ['talk.mp3', 'ID3'],
    ['plan.pdf', ''],
  ] as const)
    writeFileSync(join(vault, 'files', name), bytes);
  const chart = { uri: 'note:///files/chart%201.png', name: 'chart 1.png', mimeType: 'image/png', size: PNG.length };
  const paper = { uri: 'note:///files/Paper.pdf', name: 'Paper.pdf', mimeType: 'application/pdf', size: 8 };
  const talk = { uri: 'note:///files/talk.mp3', name: 'talk.mp3', mimeType: 'audio/mpeg', size: 3 };
  const board = { uri: 'note:///Board.canvas', name: 'Board.canvas', mimeType: 'application/json', size: 23 };
  const ofType = (link: object) => ({ type: 'resource_link', ...link });
  for (const form of ['both', 'structured', 'text']) {
    const config = configFile(context, `vault: { path: ${vault} }\nmcp: { structured_content: ${form} }\n`);
    const session = await openSession(context, { vault, config });
    if (form === 'text') await session.client.callTool({ name: 'list_notes', arguments: { require_fresh: true } });
    else await session.indexed();
    const links = async (name: string, given: object) => {
      const { content } = await session.client.callTool({ name, arguments: { ...given } });
      return linksIn(content as Part[]);
    };
    assert.deepEqual(await links('read_notes', { notes: ['Note'] }), [chart, paper, talk, board].map(ofType), form);
    assert.deepEqual(
      await links('get_context', { topic: 'tide chart' }),
      [chart, paper, talk, board].map(ofType),
      form,
    );
    if (form !== 'both') continue;
    assert.deepEqual(await links('read_notes', { notes: ['Note#Map'] }), [board, chart].map(ofType));
    assert.deepEqual(await links('read_notes', { notes: ['Note'], include: ['outline'] }), []);
    for (const { uri, mimeType } of [chart, paper, talk, board]) {
      const [read] = (await session.client.readResource({ uri })).contents;
      assert.deepEqual([read?.uri, read?.mimeType], [uri, mimeType]);
    }
  }
});

test('a client whose protocol has no links to resources gets none', async (context) => {
  const vault = temporaryFolder(context);
  writeFileSync(join(vault, 'Note.md'), 'A photo: ![[photo.png]]');
  writeFileSync(join(vault, 'photo.png'), PNG);
  for (const [version, count] of [
    ['2025-03-26', 0],
    ['2025-06-18', 1],
    ['2026-07-28', 1],
  ] as const) {
    const server = startRawServer(context, { vault });
    await server.begin(version);
    const fresh = { notes: ['Note'], require_fresh: true };
    server.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'get_context', arguments: fresh } });
    assert.equal(linksIn((await server.reply(9)).result.content).length, count, version);
  }
});
