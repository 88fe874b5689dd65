// Checks the rules that hold for all chunks of a note.
import assert from 'node:assert/strict';
import { type Chunk, chunkNote } from '../../../src/markdown/chunk/chunks.ts';
import { sizeOf } from '../../../src/markdown/chunk/text-size.ts';
import { scanBlocks } from '../../../src/markdown/parse/blocks.ts';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { bodyStart } from '../../../src/markdown/properties/front-matter.ts';

interface Line {
  readonly number: number;
  readonly text: string;
  readonly ink: string;
  /** Of a heading, or the line under it: may be in the path of its chunk instead of in its content. */
  readonly heading: false | 'name' | 'underline';
}

const inkOf = (text: string): string => text.replace(/\s+/g, '');
const contentOf = ({ text }: Chunk): string =>
  text.slice(text.indexOf('\n\n') === -1 ? text.length : text.indexOf('\n\n') + 2);
const covers = ({ lines }: Chunk, { number }: Line): boolean => lines[0] <= number && number <= lines[1];

/** Checks the size, order and lines of a note's chunks, and that all that its body shows is in them, once and in order. */
export function assertLawfulChunks(title: string, text: string, maxTokens: number): void {
  const chunks = chunkNote(title, text, maxTokens);
  const shown = shownLines(text);
  assertEach(chunks, text, maxTokens);
  if (shown.length === 0) assert.deepEqual(chunks.map(contentOf), title.trim() === '' ? [] : ['']);
  assertAllInk(shown, chunks.map(contentOf).map(inkOf).join(''));
  const covering = new Map(shown.map((line) => [line, chunks.filter((chunk) => covers(chunk, line))]));
  for (const [line, by] of covering) {
    assert.ok(by.length > 0, `line ${line.number} is in no chunk`);
    // A name of many marks may be cut between the contents of two chunks.
    const named = inkOf([...by.map(({ text }) => text), by.map(contentOf).join('')].join('\n')).toLowerCase();
    const isNamed = named.includes(line.ink.replace(/^#+|#+$/g, '').toLowerCase());
    if (line.heading === 'name' && line.ink.length < 10 && !line.ink.includes('^'))
      assert.ok(isNamed, `heading ${line.text} is lost`);
  }
  for (const chunk of chunks) assertEnds(chunk, shown);
}

function assertEach(chunks: readonly Chunk[], text: string, maxTokens: number): void {
  const count = Math.max(1, splitLines(text).starts.length);
  let last = 1;
  for (const { lines, text: written } of chunks) {
    assert.ok(
      lines[0] >= last && lines[1] >= lines[0] && lines[1] <= count,
      `lines ${lines} of ${count} after ${last}`,
    );
    last = lines[1];
    assert.match(written, /\S/);
    assert.ok(written.isWellFormed() || !text.isWellFormed(), 'a pair is cut');
    const { tokens } = sizeOf(written);
    assert.ok(tokens <= maxTokens, `${tokens} tokens in ${JSON.stringify(written)}`);
  }
}

/** The lines of the body that are not blank and not in a comment. */
function shownLines(text: string): Line[] {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const { headings, comments } = scanBlocks(text, lines, bodyLine);
  const heads = new Set(headings.map(({ line }) => line));
  const hidden = new Set(
    comments.flatMap(({ line, endLine }) => Array.from({ length: endLine - line + 1 }, (_, step) => line + step)),
  );
  return [...lines.starts].flatMap((start, index) => {
    const number = index + 1;
    const written = text.slice(start, lines.ends[index]);
    const isUnderline = heads.has(index) && /^ {0,3}(?:=+|-+)[ \t]*$/.test(written);
    if (index < bodyLine || hidden.has(number) || inkOf(written) === '') return [];
    const heading = heads.has(number) ? 'name' : isUnderline && 'underline';
    return [{ number, text: written, ink: inkOf(written), heading }];
  });
}

/** Each line comes after the one before it; a heading may be left out, because it is in the path. */
function assertAllInk(shown: readonly Line[], content: string): void {
  let reached = new Set([0]);
  for (const { number, ink, heading } of shown) {
    const here = [...reached];
    const behind = here.filter((at) => content.startsWith(ink, at)).map((at) => at + ink.length);
    assert.ok(heading || behind.length > 0, `line ${number} is not in the chunks as written`);
    reached = new Set(heading ? [...here, ...behind] : behind);
  }
  assert.ok(reached.has(content.length), 'the chunks hold more than the note');
}

/** What a chunk holds begins and ends in the lines it says. */
function assertEnds(chunk: Chunk, shown: readonly Line[]): void {
  const written = contentOf(chunk)
    .split('\n')
    .map(inkOf)
    .filter((ink) => ink !== '');
  const first = shown.find(({ number }) => number === chunk.lines[0]);
  const last = shown.find(({ number }) => number === chunk.lines[1]);
  if (written.length === 0) return;
  assert.ok(first?.heading || first?.ink.includes(written[0] ?? ''), `line ${chunk.lines[0]} begins no chunk`);
  assert.ok(last?.ink.includes(written.at(-1) ?? ''), `line ${chunk.lines[1]} ends no chunk`);
}
