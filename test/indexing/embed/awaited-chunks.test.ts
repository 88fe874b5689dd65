// Tests that a note is done with its last chunk, and that no text is requested twice.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { NotePath } from '../../../src/base/note.ts';
import { AwaitedChunks, type ChunkedNote } from '../../../src/indexing/embed/notes-to-embed.ts';
import { assertEach } from '../../assert-each.ts';

const NONE: ReadonlySet<string> = new Set();
const refusal = new VaultgraphError('INTERNAL', { kind: 'refused' });

const noteOf = (name: string, texts: readonly string[]): ChunkedNote => ({
  path: `${name}.md` as NotePath,
  hash: `hash of ${name}`,
  title: name,
  chunks: texts.map((text, at) => ({ hash: `#${text}`, lines: [at + 1, at + 1], text })),
});

const vectorsOf = (...texts: string[]) => ({
  vectors: new Map(texts.map((text) => [`#${text}`, new Float32Array([1])])),
  refused: new Map<string, VaultgraphError>(),
});
const refusalsOf = (...texts: string[]) => ({
  vectors: new Map<string, Float32Array>(),
  refused: new Map(texts.map((text) => [`#${text}`, refusal])),
});

it('requests a text once, however often it occurs', () => {
  const awaited = new AwaitedChunks();
  const requested = (note: ChunkedNote): string[] => awaited.add(note, NONE).map(({ text }) => text);
  assert.deepEqual(requested(noteOf('one', ['a', 'b', 'a'])), ['a', 'b']);
  assert.deepEqual(requested(noteOf('two', ['b', 'c'])), ['c']);
  assert.deepEqual(awaited.done(), []);
  awaited.addAnswers(vectorsOf('a', 'b'));
  const [one, ...others] = awaited.done();
  assert.deepEqual([one?.note.path, one?.kept, others], ['one.md', 1, []]);
  awaited.addAnswers(vectorsOf('c'));
  const [two] = awaited.done();
  assert.deepEqual([two?.note.path, two?.kept], ['two.md', 1]);
  assert.deepEqual(requested(noteOf('three', ['a', 'b', 'c'])), []);
  assert.equal(awaited.done()[0]?.kept, 3);
});

it('a note with all vectors stored is done immediately, and so is one without chunks', () => {
  const awaited = new AwaitedChunks();
  assert.deepEqual(awaited.add(noteOf('moved', ['a', 'b']), new Set(['#a', '#b'])), []);
  assert.deepEqual(awaited.add(noteOf('empty', []), NONE), []);
  assert.deepEqual(
    awaited.done().map(({ note, kept }) => [note.path, note.chunks.length, kept]),
    [
      ['moved.md', 2, 2],
      ['empty.md', 0, 0],
    ],
  );
});

it('a refused text fails in all its notes, and is not requested again', () => {
  const awaited = new AwaitedChunks();
  awaited.add(noteOf('one', ['a', 'bad']), NONE);
  awaited.addAnswers(refusalsOf('bad'));
  awaited.addAnswers(vectorsOf('a'));
  assert.deepEqual(awaited.add(noteOf('two', ['bad']), NONE), []);
  const failure = { code: 'INTERNAL', reason: refusal.message };
  assert.deepEqual(awaited.done(), [
    {
      note: {
        path: 'one.md',
        hash: 'hash of one',
        chunks: [
          { hash: '#a', lines: [1, 1] },
          { hash: '#bad', lines: [2, 2], failure },
        ],
      },
      kept: 0,
      refused: [{ lines: [2, 2], error: refusal }],
    },
    {
      note: { path: 'two.md', hash: 'hash of two', chunks: [{ hash: '#bad', lines: [1, 1], failure }] },
      kept: 0,
      refused: [{ lines: [1, 1], error: refusal }],
    },
  ]);
});

it('a note that cannot be chunked is one failed chunk', () => {
  const awaited = new AwaitedChunks();
  awaited.refuse(noteOf('odd', []), refusal);
  const [odd] = awaited.done();
  assertEach(odd?.note.chunks, ({ lines, failure }) => [lines, failure?.code], [[[1, 1], 'INTERNAL']]);
});

it('for answers in any order each note is done once, with all its chunks', () => {
  const notes = fc.array(fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 5 }), { maxLength: 12 });
  const order = fc.shuffledSubarray([...'abcdefgh'], { minLength: 8 });
  const bad = fc.subarray([...'abcdefgh']);
  fc.assert(
    fc.property(notes, order, bad, (given, letters, refused) => {
      const awaited = new AwaitedChunks();
      const requested = given.flatMap((texts, at) => awaited.add(noteOf(`${at}`, texts), NONE));
      assert.equal(new Set(requested.map(({ hash }) => hash)).size, requested.length);
      for (const letter of letters) {
        if (!requested.some(({ text }) => text === letter)) continue;
        awaited.addAnswers(refused.includes(letter) ? refusalsOf(letter) : vectorsOf(letter));
      }
      const done = awaited.done();
      assert.deepEqual(done.map(({ note }) => note.path).toSorted(), given.map((_, at) => `${at}.md`).toSorted());
      const rows = given.flat().length;
      const failed = given.flat().filter((letter) => refused.includes(letter)).length;
      const embedded = new Set(given.flat().filter((letter) => !refused.includes(letter))).size;
      const kept = done.reduce((sum, note) => sum + note.kept, 0);
      assert.equal(
        done.reduce((sum, note) => sum + note.refused.length, 0),
        failed,
      );
      assert.equal(kept, rows - failed - embedded);
    }),
  );
});
