import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { contentHash } from '../../src/base/content-hash.ts';
import type { NotePath } from '../../src/base/note.ts';
import { chunkFiles, type FileToChunk, handOverFiles, isSmallText } from '../../src/compute/file-jobs.ts';
import { jobs } from '../../src/compute/jobs.ts';
import { createCompute } from '../../src/compute/offload.ts';
import { chunkNote } from '../../src/markdown/chunk/chunks.ts';
import { assertEach } from '../assert-each.ts';

const NEVER = new AbortController().signal;
const CHUNKER = 'headings-1/450';

const file = (path: string, content: string | Uint8Array): FileToChunk => ({
  path: path as NotePath,
  title: path.replace('.md', ''),
  bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
});
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32);

test('a note is returned as chunks, each with the hash of its text', () => {
  const text = '---\ntags: [sea]\n---\n# Ebb\nLow 🌊 water.\n';
  const given = file('Tide.md', `\uFEFF${text}`);
  const [row] = chunkFiles({ files: [given], chunker: CHUNKER });
  assert.deepEqual(row, {
    path: 'Tide.md',
    hash: contentHash(given.bytes),
    chunks: [{ lines: [4, 5], text: 'Tide > Ebb\n\nLow 🌊 water.', hash: sha256('Tide > Ebb\n\nLow 🌊 water.') }],
  });
  assert.deepEqual(
    row !== undefined && 'chunks' in row ? row.chunks.map(({ lines, text }) => ({ lines, text })) : [],
    chunkNote('Tide', text, 450),
  );
});

test('equal texts have equal hashes anywhere, and another title changes the hash', () => {
  const hashesOf = (given: FileToChunk): string[] => {
    const [row] = chunkFiles({ files: [given], chunker: CHUNKER });
    return row !== undefined && 'chunks' in row ? row.chunks.map(({ hash }) => hash) : [];
  };
  assert.deepEqual(hashesOf(file('Tide.md', 'Low.')), hashesOf(file('Tide.md', '\n\nLow.\r\n')));
  assert.notDeepEqual(hashesOf(file('Tide.md', 'Low.')), hashesOf(file('Ebb.md', 'Low.')));
});

test('an error in the Markdown rules fails one row, and the row has no text of the note', () => {
  const broken = { ...file('a.md', 'secret words'), title: 7 as unknown as string };
  const rows = chunkFiles({ files: [broken, file('b.md', 'Low.'), file('c.md', '')], chunker: CHUNKER });
  assertEach(rows, (row) => ('chunks' in row ? row.chunks.length : row.code), ['INTERNAL', 1, 1]);
  const [refused] = rows;
  assert.ok(refused !== undefined && 'reason' in refused);
  assert.equal(refused.hash, contentHash(broken.bytes));
  assert.match(refused.reason, /^TypeError/);
  assert.doesNotMatch(refused.reason, /secret/);
});

test('bytes that are not valid UTF-8 are chunked as decoded', () => {
  const [row] = chunkFiles({ files: [file('a.md', Uint8Array.of(0x61, 0xff, 0x62))], chunker: CHUNKER });
  assert.equal(row !== undefined && 'chunks' in row ? row.chunks[0]?.text : '', 'a\n\na\uFFFDb');
});

test('small is at most eight files and 64 KiB', () => {
  const given = (count: number, size: number) => ({
    files: Array.from({ length: count }, () => file('a.md', new Uint8Array(size))),
    chunker: CHUNKER,
  });
  assert.ok(isSmallText(given(8, 8 * 1024)));
  assert.ok(!isSmallText(given(9, 1)));
  assert.ok(!isSmallText(given(1, 64 * 1024 + 1)));
});

test('bytes are transferred with their path and title', () => {
  const own = file('a.md', new Uint8Array(3).fill(97));
  const part = file('b.md', new Uint8Array(9).subarray(3, 5));
  const { input, transfer } = handOverFiles({ files: [own, part], chunker: CHUNKER });
  assert.equal(transfer[0], own.bytes.buffer);
  assert.notEqual(transfer[1], part.bytes.buffer);
  const moved = structuredClone(input, { transfer });
  assert.deepEqual(
    moved.files.map(({ path, title, bytes }) => [path, title, bytes.byteLength]),
    [
      ['a.md', 'a', 3],
      ['b.md', 'b', 2],
    ],
  );
  assert.equal(moved.chunker, CHUNKER);
});

test('the job returns the same on its thread as on this one', async () => {
  const compute = createCompute();
  try {
    const texts = Array.from({ length: 20 }, (_, n) => `# Ebb ${n}\n${'Low water runs. '.repeat(200)}`);
    const files = () => texts.map((text, n) => file(`${n}.md`, text));
    const rows = await compute.run(jobs.chunk, { files: files(), chunker: CHUNKER }, NEVER);
    assert.deepEqual(rows, chunkFiles({ files: files(), chunker: CHUNKER }));
  } finally {
    await compute.close();
  }
});
