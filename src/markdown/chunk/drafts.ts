// Decides which sections and pieces share a chunk: tiny sections join the next one, large ones are split evenly.
import type { Piece } from './pieces.ts';
import type { Section } from './sections.ts';
import { addSizes, fitsIn, NO_SIZE, type Size } from './text-size.ts';

/** The part of a section that is in one chunk. */
export interface Part {
  readonly section: Section;
  readonly pieces: readonly Piece[];
  /** Whether the section starts in this chunk. */
  readonly opens: boolean;
}

/** The parts of one chunk, in the order of the note. */
export type Draft = readonly Part[];

const TINY_WORDS = 40;
/** A tiny draft takes less than this share of a chunk's tokens. */
const TINY_SHARE = 1 / 4;

/** The chunks in the order of the note; reads no more sections than the chunks that are asked for need. */
export function* draftChunks(sections: Iterable<Section>, limit: Size): Generator<Draft> {
  let open: Draft = [];
  for (const section of sections) {
    if (section.parent === undefined && section.pieces.length === 0) continue;
    const whole: Part = { section, pieces: section.pieces, opens: true };
    if (open.length > 0 && !canJoin(open, whole, limit)) {
      yield open;
      open = [];
    }
    if (section.pieces.length === 0 || fits([...open, whole], limit)) open = [...open, whole];
    else {
      yield* splitSection(open, section, limit);
      open = [];
    }
  }
  if (open.length > 0) yield open;
}

function canJoin(open: Draft, next: Part, limit: Size): boolean {
  if (!isRelated(open, next.section) || !isTiny(open, limit)) return false;
  return fits([...open, next], limit) || !fits([next], limit);
}

/** Whether it is below the first section of the draft, or a sibling of it. */
function isRelated([first]: Draft, next: Section): boolean {
  return first !== undefined && (next.level > first.section.level || next.parent === first.section.parent);
}

function isTiny(draft: Draft, limit: Size): boolean {
  const { words, tokens } = contentSize(draft);
  return words < TINY_WORDS && tokens < limit.tokens * TINY_SHARE;
}

function fits(draft: Draft, limit: Size): boolean {
  return fitsIn(draftSize(draft), limit);
}

function draftSize(draft: Draft): Size {
  return addSizes(contentSize(draft), { words: 0, tokens: commonSection(draft)?.pathTokens ?? 0 });
}

function contentSize(draft: Draft): Size {
  return piecesOf(draft).reduce(addSizes, NO_SIZE);
}

/** The chunk's content below its path: its pieces, and the headings that are not part of the path. */
export function piecesOf(draft: Draft): Piece[] {
  const named = new Set<Section>();
  for (let section = commonSection(draft); section !== undefined; section = section.parent) named.add(section);
  return draft.flatMap(({ section, pieces, opens }) => {
    const { heading } = section;
    return opens && heading !== undefined && !named.has(section) ? [heading, ...pieces] : pieces;
  });
}

/**
 * The section whose path heads the chunk: the closest one that contains all parts. Empty sections that only lead to
 * a subsection are ignored.
 */
export function commonSection(draft: Draft): Section | undefined {
  const leadsOn = ({ section, pieces }: Part, index: number): boolean =>
    pieces.length === 0 && draft[index + 1]?.section.parent === section;
  const [first, ...others] = draft.filter((part, index) => !leadsOn(part, index)).map(({ section }) => section);
  return others.reduce<Section | undefined>(sharedSection, first);
}

function sharedSection(one: Section | undefined, other: Section): Section | undefined {
  let [left, right]: (Section | undefined)[] = [one, other];
  while (left !== right && left !== undefined && right !== undefined) {
    if (left.level >= right.level) left = left.parent;
    else right = right.parent;
  }
  return left;
}

/** Splits a section over several chunks; `open` joins the first of them if there is room. */
function splitSection(open: Draft, section: Section, limit: Size): Draft[] {
  const room = { words: limit.words, tokens: limit.tokens - section.pathTokens };
  const beginning: Draft = [...open, { section, pieces: section.pieces.slice(0, 1), opens: true }];
  const joins = fitsIn(contentSize(beginning), room);
  const reserved = joins ? contentSize(beginning.with(-1, { section, pieces: [], opens: true })) : NO_SIZE;
  const [first = [], ...others] = groupEvenly(section.pieces, reserved, room);
  const opening: Part = { section, pieces: first, opens: true };
  return [
    ...(joins || open.length === 0 ? [[...open, opening]] : [open, [opening]]),
    ...others.map((pieces) => [{ section, pieces, opens: false }]),
  ];
}

/**
 * Groups the pieces so that each group fits and all are about the same size. `reserved` is already in the first
 * group.
 */
function groupEvenly(pieces: readonly Piece[], reserved: Size, room: Size): Piece[][] {
  const weigh = limitingMeasure(pieces.reduce(addSizes, reserved), room);
  const all = pieces.reduce((sum, piece) => sum + weigh(piece), weigh(reserved));
  const share = all / Math.ceil(all);
  let group: Piece[] = [];
  const groups = [group];
  let size = reserved;
  let placed = weigh(reserved);
  for (const piece of pieces) {
    const isDue = placed + weigh(piece) / 2 > share * groups.length;
    size = addSizes(size, piece);
    if (group.length > 0 && (isDue || !fitsIn(size, room))) {
      group = [];
      groups.push(group);
      size = piece;
    }
    group.push(piece);
    placed += weigh(piece);
  }
  return groups;
}

/** Measures sizes as shares of the room, by words or by tokens, whichever `total` needs more of. */
function limitingMeasure(total: Size, room: Size): (size: Size) => number {
  return total.words / room.words > total.tokens / room.tokens
    ? ({ words }) => words / room.words
    : ({ tokens }) => tokens / room.tokens;
}
