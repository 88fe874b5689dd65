import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { contentHash } from '../../src/base/content-hash.ts';
import type { NotePath } from '../../src/base/note.ts';
import { type FileToParse, handOver, isSmall, parseFile } from '../../src/compute/file-jobs.ts';
import { parseNote } from '../../src/markdown/parse/parse-note.ts';
import { assertEach } from '../assert-each.ts';

const file = (path: string, content: string | Uint8Array): FileToParse => ({
  path: path as NotePath,
  bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
});

test('the hash is the first half of SHA-256 over the raw bytes', () => {
  const bytes = Buffer.from('\uFEFFtide\n');
  assert.equal(contentHash(bytes), createHash('sha256').update(bytes).digest('hex').slice(0, 32));
  assert.equal(contentHash(new Uint8Array(0)), 'e3b0c44298fc1c149afbf4c8996fb924');
});

test('a note is returned with its text, hash and parsed content', () => {
  const text = '---\ntags: [sea]\n---\n# Tide\n[[Moon]]\n';
  const given = file('Tide.md', `\uFEFF${text}`);
  assert.deepEqual([given].map(parseFile), [
    { path: 'Tide.md', hash: contentHash(given.bytes), encoding: 'utf-8', text, parsed: parseNote(text) },
  ]);
});

test('bytes that are not valid UTF-8 are reported', () => {
  const [row] = [file('a.md', Uint8Array.of(0x61, 0xff, 0x62))].map(parseFile);
  assert.equal(row?.encoding, 'invalid');
  assert.equal(row?.text, 'a\uFFFDb');
});

test('the links of a canvas are read; a damaged canvas fails alone', () => {
  const card = { id: '1', type: 'file', file: 'Notes/Ebb.md', x: 0, y: 0, width: 1, height: 1 };
  const rows = [
    file('Board.canvas', JSON.stringify({ nodes: [card], edges: [] })),
    file('Broken.canvas', '{"nodes": ['),
    file('a.md', '[[b]]'),
  ].map(parseFile);
  assert.deepEqual(
    rows.map((row) => ('parsed' in row ? row.parsed.links.map(({ link }) => link) : row.code)),
    [['Notes/Ebb.md'], 'CANVAS_INVALID', ['b']],
  );
  const refused = rows[1];
  assert.ok(refused !== undefined && 'reason' in refused && refused.reason.length > 0);
  assert.equal(refused.hash, contentHash(Buffer.from('{"nodes": [')));
});

test('an error in the Markdown rules fails one row', () => {
  const rows = [file(7 as unknown as string, 'x'), file('a.md', '[[b]]')].map(parseFile);
  assertEach(rows, (row) => ('code' in row ? row.code : row.parsed.links.length), ['INTERNAL', 1]);
  const [refused] = rows;
  assert.match(refused !== undefined && 'reason' in refused ? refused.reason : '', /^TypeError/);
});

test('a base is read as text without links', () => {
  const [row] = [file('Deck.base', 'views:\n  - type: table # [[no link]]\n')].map(parseFile);
  assert.ok(row !== undefined && 'parsed' in row);
  assert.deepEqual(row.parsed.links, []);
});

test('rows are equal after the transfer between threads', () => {
  const rows = [file('a.md', '---\na: {b: [1, null]}\n---\n# H ^x\n#t [[b|c]]'), file('b.canvas', '[')].map(parseFile);
  assert.deepEqual(structuredClone(rows), rows);
});

test('small is at most eight files and 256 KiB', () => {
  const files = (count: number, size: number) =>
    Array.from({ length: count }, () => file('a.md', new Uint8Array(size)));
  assert.ok(isSmall(files(8, 32 * 1024)));
  assert.ok(!isSmall(files(9, 1)));
  assert.ok(!isSmall(files(1, 256 * 1024 + 1)));
});

test('bytes with their own buffer are transferred, others are copied, each once', () => {
  const own = new Uint8Array(3).fill(7);
  const part = new Uint8Array(9).subarray(3, 5);
  const { input, transfer } = handOver([file('a.md', own), file('b.md', part), file('c.md', own)]);
  assert.equal(transfer.length, 2);
  assert.equal(transfer[0], own.buffer);
  assert.notEqual(transfer[1], part.buffer);
  assertEach(structuredClone(input, { transfer }), ({ bytes }) => [...bytes], [
    [7, 7, 7],
    [0, 0],
    [7, 7, 7],
  ]);
  assert.equal(own.byteLength, 0);
  assert.equal(part.byteLength, 2);
});
