// Selects the passages of found notes from which a question is answered.
import type { NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { TextTerm } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { halvesOfLines } from '../../markdown/chunk/halves.ts';
import { fittingEnd, sizeOf } from '../../markdown/chunk/text-size.ts';
import { cutToLines } from '../../markdown/excerpt/cut-to-lines.ts';
import { textOfLines } from '../../markdown/links/section.ts';
import { lineCountOf } from '../../markdown/parse/lines.ts';
import { readTexts } from '../notes/note-content.ts';
import type { FusedHit } from '../search/fused-page.ts';
import { MARK_TOKENS } from './llm-session.ts';
import type { Halves } from './note-sections.ts';

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
  const texts = await readTexts(paths, vault, call, 'words');
  const unread = paths.length - texts.size;
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} found notes could not be read`, count: unread });
  }
  const found = hits.map((hit) => ({ hit, text: texts.get(hit.path) ?? '', near: nearLines(hit, texts) }));
  const worded = await wordedLines(found, terms, call);
  const passages = found.flatMap(({ hit, text, near }) => passagesIn(hit.path, text, near, worded.get(hit.path)));
  return passages.map((passage) => shortened(passage, MAX_LENGTH, call));
}

/** The lines of the passage closest in meaning, if the note still has them. */
function nearLines({ path, vector }: FusedHit, texts: ReadonlyMap<string, string>): Lines | undefined {
  return vector !== undefined && vector.lines[1] <= lineCountOf(texts.get(path) ?? '') ? vector.lines : undefined;
}

interface FoundNote {
  readonly hit: FusedHit;
  readonly text: string;
  readonly near: Lines | undefined;
}

/** By path, the lines with the most words of the question; for notes that were found only by meaning, none. */
async function wordedLines(found: readonly FoundNote[], terms: readonly TextTerm[], { compute, signal }: CallContext) {
  const wanted = found.filter(({ hit, near }) => hit.text !== undefined || near === undefined);
  const notes = wanted.map(({ hit: { title }, text }) => ({ title, text }));
  const best = await compute.run(jobs.chunks, { notes, terms: terms.filter(({ negated }) => !negated) }, signal);
  return new Map(wanted.map(({ hit }, at) => [hit.path, best[at]]));
}

function passagesIn(path: NotePath, text: string, near: Lines | undefined, worded: Lines | undefined): Passage[] {
  const isOther = near === undefined || (worded !== undefined && !overlap(near, worded));
  const spans = [near, isOther ? worded : undefined].filter((span) => span !== undefined);
  return spans.flatMap((lines): Passage[] => {
    const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
    return passage.trim() === '' ? [] : [{ path, lines, text: passage }];
  });
}

type Lines = Passage['lines'];

const overlap = (one: Lines, other: Lines): boolean => one[0] <= other[1] && other[0] <= one[1];

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

/** The first and the second half of the passages, or of the only one. */
export const passageHalves: Halves<readonly Passage[]> = (passages) => {
  const [only, another] = passages;
  if (only !== undefined && another === undefined)
    return (halvesOfLines(only) ?? []).map((half) => [{ path: only.path, ...half }]);
  const half = Math.ceil(passages.length / 2);
  return [passages.slice(0, half), passages.slice(half)];
};

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
