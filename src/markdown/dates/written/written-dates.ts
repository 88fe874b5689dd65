// Finds the dates that a text writes, with their places and no more precision than they have.
import type { Language } from '../moment-language.ts';
import { readerOf } from '../named-dates.ts';
import { type DateToken, dateTokens, withPlainDigits } from './date-tokens.ts';
import { beginsApart, type DayOrder, digitDate, endsApart, type Reading, withTime } from './digit-dates.ts';
import type { PlainDate } from './plain-date.ts';
import { RANGE_SIGNS, rangeOf } from './ranges.ts';
import { WordedDates } from './worded-dates.ts';

export interface WrittenDate {
  /** Without a year if the text writes none. */
  readonly date: PlainDate;
  /** The last of a range. */
  readonly until?: PlainDate;
  readonly from: number;
  readonly to: number;
}

export interface WrittenIn {
  /** A code of Moment.js; undefined if it is not known. */
  readonly language: string | undefined;
  readonly order: DayOrder;
}

const HAS_DIGIT = /\p{Nd}|[〇一二三四五六七八九十]{1,4}[年月]/u;

/** In the order of the text, which is without code and addresses (`readableText`). Its cost is linear in the length of the text. */
export function writtenDates(
  text: string,
  languages: readonly Language[],
  { language, order }: WrittenIn,
): WrittenDate[] {
  if (!HAS_DIGIT.test(text)) return [];
  const plain = withPlainDigits(text, languages);
  const tokens = dateTokens(plain);
  const worded = new WordedDates(tokens, readerOf(languages), language);
  const scan = new Scan(tokens, worded, { text: plain, language, order });
  return scan.all();
}

const MID = /(?:^|[^\p{L}\p{N}])(?:mid|mi)[-\u2010\u2011]$/iu;

/** Words after which digits with dots are no date. */
const NO_DATE_AFTER =
  /(?:^|[^\p{L}])(?:v|ver|version|versión|versão|release|rel|build|firmware|версия|版本|バージョン|isbn|issn|doi|tel|phone|fax|nr|no|№|§)[.:]? *$/iu;

class Scan {
  readonly #tokens: readonly DateToken[];
  readonly #worded: WordedDates;
  readonly #reading: Reading;

  constructor(tokens: readonly DateToken[], worded: WordedDates, reading: Reading) {
    this.#tokens = tokens;
    this.#worded = worded;
    this.#reading = reading;
  }

  all(): WrittenDate[] {
    const dates: WrittenDate[] = [];
    for (let at = 0; at < this.#tokens.length; ) {
      const one = this.#dateAt(at, false);
      if (one === undefined) at += 1;
      else {
        const range = this.#rangeFrom(one);
        const { next, ...written } = range ?? one;
        dates.push(written);
        at = next;
      }
    }
    return dates;
  }

  /** @param isSecond whether it is the second one of a range: what is before it is known */
  #dateAt(at: number, isSecond: boolean): (WrittenDate & { readonly next: number }) | undefined {
    const token = this.#tokens[at] as DateToken;
    const { text } = this.#reading;
    const isApart = isSecond || beginsApart(text, token.from) || this.#isMidYear(token);
    if (!isApart || token.kind === 'sign') return undefined;
    if (token.kind === 'number') {
      const digits = this.#isNumbered(token) ? undefined : digitDate(this.#reading, token.from);
      if (digits !== undefined) return { ...digits, from: token.from, next: this.#tokenAfter(at, digits.to) };
    }
    return this.#wordedAt(at, token);
  }

  /** `mid-2025`, `mi-2025`. */
  #isMidYear({ kind, from, text: { length } }: DateToken): boolean {
    return kind === 'number' && length === 4 && MID.test(this.#reading.text.slice(Math.max(0, from - 5), from));
  }

  #wordedAt(at: number, { from }: DateToken) {
    const worded = this.#worded.at(at);
    if (worded === undefined) return undefined;
    const { text } = this.#reading;
    const end = this.#tokens[at + worded.length - 1]?.to ?? from;
    const { date, to } = withTime({ date: worded.date, to: end }, text);
    if (!endsApart(text, to)) return undefined;
    const until = worded.until === undefined ? {} : { until: worded.until };
    return { date, ...until, from, to, next: this.#tokenAfter(at, to) };
  }

  #isNumbered({ from }: DateToken): boolean {
    return NO_DATE_AFTER.test(this.#reading.text.slice(Math.max(0, from - MAX_WORD), from));
  }

  #rangeFrom(first: WrittenDate & { readonly next: number }) {
    if (first.until !== undefined) return undefined;
    const joint = this.#tokens[first.next];
    if (joint === undefined || !RANGE_SIGNS.has(joint.text.toLowerCase())) return undefined;
    const isDoubled = joint.text === '.' && this.#tokens[first.next + 1]?.text === '.';
    const second = this.#secondAt(first.next + (isDoubled ? 2 : 1));
    const range = second === undefined || second.until !== undefined ? undefined : rangeOf(first.date, second.date);
    return second === undefined || range === undefined
      ? undefined
      : { ...range, from: first.from, to: second.to, next: second.next };
  }

  #secondAt(at: number) {
    return this.#tokens[at] === undefined ? undefined : this.#dateAt(at, true);
  }

  #tokenAfter(at: number, end: number): number {
    let next = at + 1;
    while ((this.#tokens[next]?.from ?? end) < end) next += 1;
    return next;
  }
}

/** The longest of the words before a number that are looked at, with a blank. */
const MAX_WORD = 16;
