// Selects the passages of found notes from which a question is answered.
import type { NotePath } from '../../base/note.ts';
import type { TextTerm } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { chunkNote } from '../../markdown/chunk/chunks.ts';
import { chunkTokensFor, fittingEnd, sizeOf } from '../../markdown/chunk/text-size.ts';
import { findTerms } from '../../markdown/excerpt/term-matches.ts';
import { lineCountOf, textOfLines } from '../../markdown/links/section.ts';
import { cutToLines, readTexts } from '../notes/note-content.ts';
import type { FusedHit } from '../search/hybrid-search.ts';
import { MARK_TOKENS } from './data-marks.ts';

export interface Passage {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
  /** The lines as written in the note. */
  readonly text: string;
}

/** The maximum length of one passage. */
const MAX_LENGTH = 4_000;

/**
 * For each hit, in order: the passage closest in meaning and, if it is another one, the passage with the most words of the question.
 * Notes that cannot be read are counted in a warning.
 */
export async function passagesFor(
  hits: readonly FusedHit[],
  terms: readonly TextTerm[],
  vault: Vault,
  call: CallContext,
): Promise<readonly Passage[]> {
  const paths = hits.map(({ path }) => path);
  const texts = await readTexts(paths, vault, call.signal);
  const unread = paths.length - texts.size;
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} found notes could not be read`, count: unread });
  }
  const passages = hits.flatMap((hit) => passagesIn(hit, texts.get(hit.path) ?? '', terms));
  return passages.map((passage) => shortened(passage, MAX_LENGTH, call));
}

function passagesIn({ path, title, vector, text: words }: FusedHit, text: string, terms: readonly TextTerm[]) {
  const near = vector !== undefined && vector.lines[1] <= lineCountOf(text) ? [vector.lines] : [];
  const worded = words === undefined && near.length > 0 ? [] : bestChunk(title, text, terms);
  const spans = [...near, ...worded.filter((span) => !near.some((other) => overlap(span, other)))];
  return spans.flatMap((lines): Passage[] => {
    const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
    return passage.trim() === '' ? [] : [{ path, lines, text: passage }];
  });
}

type Lines = Passage['lines'];

const overlap = (one: Lines, other: Lines): boolean => one[0] <= other[1] && other[0] <= one[1];

/** The chunk with the most words of the question; the first one of several. */
function bestChunk(title: string, text: string, terms: readonly TextTerm[]): Lines[] {
  const wanted = terms.filter(({ negated }) => !negated);
  const rated = chunkNote(title, text, chunkTokensFor(Number.POSITIVE_INFINITY)).map(({ lines, text: chunk }) => {
    const found = findTerms(chunk.normalize('NFC'), wanted);
    return { lines, words: new Set(found.map(({ term }) => term)).size };
  });
  const [best] = rated.toSorted((one, other) => other.words - one.words);
  return best === undefined ? [] : [best.lines];
}

function shortened(passage: Passage, longest: number, call: CallContext): Passage {
  const { text } = cutToLines(passage.text, longest);
  if (text.length === passage.text.length) return passage;
  const message = `a passage of ${passage.path} is cut to ${text.length} of ${passage.text.length} characters`;
  call.warn({ code: 'TRUNCATED', message });
  const lines = [passage.lines[0], passage.lines[0] + lineCountOf(text) - 1] as const;
  return { path: passage.path, lines, text };
}

/** The length of the beginning that fits the room. */
function fittingLength({ path, text }: Passage, room: number): number {
  const tokens = room - MARK_TOKENS - sizeOf(`${path}\n\n`).tokens;
  return fittingEnd(text, 0, text.length, { words: Number.POSITIVE_INFINITY, tokens });
}

/** The passage as the prompt shows it. */
export const shownPassage = ({ path, text }: Passage): string => `${path}\n\n${text}`;

/** The passages that fit the room together, in order, and the others; the best one is shortened if necessary. */
export function fittingPassages([best, ...others]: readonly Passage[], room: number, call: CallContext) {
  const passages = best === undefined ? [] : [shortened(best, fittingLength(best, room), call), ...others];
  const taken: Passage[] = [];
  const leftOut: Passage[] = [];
  let left = room;
  for (const passage of passages) {
    const size = sizeOf(shownPassage(passage)).tokens + MARK_TOKENS;
    if (size > left) {
      leftOut.push(passage);
      continue;
    }
    left -= size;
    taken.push(passage);
  }
  return { taken, leftOut };
}
