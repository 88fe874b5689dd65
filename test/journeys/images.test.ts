// Reads images of a vault over stdio, as tool answers and as resources, and what is refused.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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
