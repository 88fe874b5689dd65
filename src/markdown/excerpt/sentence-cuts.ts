// Finds where sentences begin and end, near the places that are asked for.
import { partitionPoint } from '../../base/binary-search.ts';
import { isDigit, isLineEnd } from '../parse/characters.ts';
import { CLOSING, endsSentence, STOPS, startsBlock, WIDE_STOPS } from './sentence.ts';

/** A place that is farther away is not reached sentence by sentence. */
const MAX_GAP = 1_000;

/** The offsets at which one sentence ends and the next starts, with the start and the end of the text; found when they are needed. */
export class SentenceCuts {
  readonly #text: string;
  readonly #start: number;
  /** Those of one part of the text, ascending, none left out in between. */
  readonly #run: number[] = [];

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  /** The last one that is not after the place. */
  notAfter(place: number): number {
    const run = this.#run;
    const isNear = run.length > 0 && place > (run[0] as number) - MAX_GAP && place < (run.at(-1) as number) + MAX_GAP;
    if (!isNear) run.splice(0, run.length, this.#lastUpTo(place));
    while ((run[0] as number) > place) run.unshift(this.#lastUpTo((run[0] as number) - 1));
    while ((run.at(-1) as number) <= place && this.#extend());
    return run[this.#after(place) - 1] as number;
  }

  /** The first one after the place; undefined at the end of the text. */
  after(place: number): number | undefined {
    this.notAfter(place);
    return this.#run[this.#after(place)];
  }

  /** The last one before a cut; undefined at the start of the text. */
  before(cut: number): number | undefined {
    return cut <= this.#start ? undefined : this.notAfter(cut - 1);
  }

  #after(place: number): number {
    return partitionPoint(this.#run.length, (at) => (this.#run[at] as number) <= place);
  }

  #lastUpTo(place: number): number {
    let at = place;
    while (at > this.#start && at < this.#text.length && !isCut(this.#text, at)) at -= 1;
    return at;
  }

  /** @returns false at the end of the text */
  #extend(): boolean {
    const { length } = this.#text;
    const last = this.#run.at(-1) as number;
    if (last >= length) return false;
    POSSIBLE_END.lastIndex = last;
    let at = last;
    while (at < length && (at === last || !isCut(this.#text, at)))
      at = POSSIBLE_END.test(this.#text) ? POSSIBLE_END.lastIndex : length;
    this.#run.push(at);
    return true;
  }
}

/** The last character of a sentence: only after it is looked in detail. */
const POSSIBLE_END = new RegExp(`[${STOPS}${WIDE_STOPS}${CLOSING.replace(']', '\\]')}\\r\\n]`, 'g');

const ITEM_NUMBER = /(?:^|[\r\n])[ \t>]*\d{1,9}\.$/;
const ITEM_HEAD = 24;

/** Whether a sentence ends here: the full stop after the number of a list item does not end one. */
function isCut(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (isLineEnd(before)) return text.slice(at - 1, at + 1) !== '\r\n' && startsBlock(text, at);
  if (!endsSentence(text, at)) return false;
  return !isDigit(text.charCodeAt(at - 2)) || !ITEM_NUMBER.test(text.slice(Math.max(0, at - ITEM_HEAD), at));
}
