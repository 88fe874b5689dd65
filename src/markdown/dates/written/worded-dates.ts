// Reads the dates that are written with the name of a month, a sign of a year, or the word for a quarter or a week.
import { foldText } from '../../excerpt/fold-text.ts';
import type { FoundMonth, MonthReader } from '../month-names.ts';
import { weekStart } from '../note-date.ts';
import { ORDINALS, QUARTERS, SEASONS, WEEKS } from '../period-words.ts';
import type { DateToken } from './date-tokens.ts';
import { exists, type PlainDate } from './plain-date.ts';
import { RANGE_SIGNS } from './ranges.ts';
import {
  BEFORE_YEAR,
  BETWEEN_YEARS,
  DECADES,
  endsDecade,
  FROM_YEAR,
  IN_YEAR,
  isClearAfter,
  PAGES,
  PARTS_OF_YEAR,
} from './year-words.ts';

export interface WordedDate {
  readonly date: PlainDate;
  /** The last day of a range whose days share their month: `3–5 May`. */
  readonly until?: PlainDate;
  /** The number of tokens. */
  readonly length: number;
}

/** What is between the parts of one date. */
const JOINTS: ReadonlySet<string> = new Set(
  '. , - / – of the de del do da di du le den der dem из من في के को का की এর nam'.split(' '),
);
const ORDINAL_ENDINGS: ReadonlySet<string> = new Set(
  'st nd rd th er ere re e eme o a º ª ° . го й е я ого ই শে লা রা ঠা তারিখ वीं वां को ste te de ter der ten ein'.split(' '),
);
const MAX_JOINTS = 2;
const isYear = ({ kind, value, text }: DateToken): boolean =>
  kind === 'number' && value >= 1_000 && value < 2_100 && text.length >= 4;
/** A smaller number after a short name of a month may count something. */
const FIRST_YEAR = 1900;
const FIRST_DECADE = 1700;
const UNITS = ['%', '°', '$', '€', '£', '×'];
/** The year before the first of each. */
const ERAS: ReadonlyMap<string, number> = new Map(
  Object.entries({ 明治: 1867, 大正: 1911, 昭和: 1925, 平成: 1988, 令和: 2018, 民國: 1911, 民国: 1911 }),
);
const isDay = ({ kind, value, text }: DateToken): boolean =>
  kind === 'number' && value >= 1 && value <= 31 && !(text.length === 1 && text === '0');

export class WordedDates {
  readonly #tokens: readonly DateToken[];
  readonly #months: MonthReader;
  readonly #language: string;
  readonly #folded: string[] = [];

  /** @param language a code of Moment.js; English if it is not known */
  constructor(tokens: readonly DateToken[], months: MonthReader, language = 'en') {
    this.#tokens = tokens;
    this.#months = months;
    this.#language = language;
  }

  /** The date whose first token is the one at `at`. */
  at(at: number): WordedDate | undefined {
    const token = this.#tokens[at];
    if (token === undefined || token.kind === 'sign') return undefined;
    if (token.kind === 'number') return this.#fromNumber(token, at);
    if (!this.#hasNumberNear(at)) return undefined;
    return this.#ofEra(token, at) ?? this.#quarterFrom(at) ?? this.#weekFrom(at) ?? this.#fromMonth(at);
  }

  #fromNumber(token: DateToken, at: number): WordedDate | undefined {
    if (isYear(token))
      return (
        this.#decade(token, at) ??
        this.#signed(token, at) ??
        this.#yearFirst(token, at) ??
        this.#years(token, at) ??
        this.#yearAlone(token, at)
      );
    return this.#signed(token, at) ?? this.#quarterFrom(at) ?? this.#dayFirst(token, at);
  }

  /** `1990s`, `1990er`, `1990-е`, `1990年代`, `les années 1990`: ten years. */
  #decade({ value: year }: DateToken, at: number): WordedDate | undefined {
    if (year % 10 !== 0) return undefined;
    const hyphens = this.#is(at + 1, '-') ? 1 : 0;
    // The 1800s are a century, and 1000s a number.
    const isEnding =
      year >= FIRST_DECADE &&
      (year % 100 !== 0 || year === 2_000) &&
      this.#touches(at) &&
      endsDecade(this.#foldedAt(at + 1 + hyphens), hyphens > 0);
    const isSigned = this.#is(at + 1, '年') && this.#is(at + 2, '代');
    const isKorean = this.#is(at + 1, '년') && this.#foldedAt(at + 2).startsWith('대');
    const isNamed = this.#is(at - 1, ...DECADES) || (this.#is(at - 1, 'de') && this.#is(at - 2, 'decada', 'decennie'));
    const length = isEnding ? 2 + hyphens : isSigned || isKorean ? 3 : isNamed ? 1 : 0;
    return length === 0 ? undefined : { date: { year }, until: { year: year + 9 }, length };
  }

  /** `2024年3月12日`, `3월 12일`. */
  #signed(token: DateToken, at: number): WordedDate | undefined {
    const year = this.#is(at + 1, '年', '년') && isYear(token) ? token.value : undefined;
    const isOfOtherYear = year === undefined && this.#is(at - 1, '年', '년');
    const monthAt = year === undefined ? at : at + 2;
    const month = this.#tokens[monthAt];
    const hasMonth = month?.kind === 'number' && this.#is(monthAt + 1, '月', '월');
    if (!hasMonth) return year === undefined ? undefined : this.#quarterOfYear(year, at + 2);
    const day = this.#tokens[monthAt + 2];
    const hasDay = day?.kind === 'number' && this.#is(monthAt + 3, '日', '号', '號', '일');
    if (isOfOtherYear || (year === undefined && !hasDay)) return undefined;
    const date = { year, month: month.value, ...(hasDay && { day: day.value }) };
    const end = monthAt + (hasDay ? 4 : 2);
    const last = hasDay && this.#isJointOfRange(end) && this.#is(end + 2, '日', '号', '號', '일') ? end + 1 : undefined;
    if (last !== undefined) return daysOf(date, this.#tokens[last]?.value, last + 2 - at);
    return exists(date) ? { date, length: end - at } : undefined;
  }

  /** `令和7年3月3日`, `平成元年`. */
  #ofEra({ text }: DateToken, at: number): WordedDate | undefined {
    const before = ERAS.get(`${text}${this.#tokens[at + 1]?.text ?? ''}`);
    const number = this.#is(at + 2, '元') ? 1 : (this.#tokens[at + 2]?.value ?? -1);
    if (before === undefined || number < 1 || !this.#is(at + 3, '年')) return undefined;
    const year = before + number;
    const [month, day] = [this.#tokens[at + 4]?.value ?? -1, this.#tokens[at + 6]?.value ?? -1];
    if (month < 1 || !this.#is(at + 5, '月')) return { date: { year }, length: 4 };
    const hasDay = day > 0 && this.#is(at + 7, '日');
    const date = { year, month, ...(hasDay && { day }) };
    return exists(date) ? { date, length: hasDay ? 8 : 6 } : undefined;
  }

  /** `2024年第一季度`, else the year. */
  #quarterOfYear(year: number, at: number): WordedDate {
    const number = this.#is(at, '第') ? at + 1 : at;
    const { value = 0 } = this.#tokens[number] ?? {};
    const isQuarter = this.#is(number + 1, '季度', '四半期', '분기') && value >= 1 && value <= 4;
    return isQuarter ? { date: { year, quarter: value }, length: number - at + 4 } : { date: { year }, length: 2 };
  }

  /** `12 March 2024`, `12. März`, `12 de marzo de 2024`, `3–5 May 2024`. */
  #dayFirst(token: DateToken, at: number): WordedDate | undefined {
    if (!isDay(token)) return undefined;
    const last = this.#secondDay(at);
    const [lastAt, lastDay] = last === undefined ? [at, token.value] : [last, this.#tokens[last]?.value ?? 0];
    const monthAt = this.#afterJoints(this.#afterOrdinal(lastAt + 1));
    const month = this.#monthAt(monthAt);
    if (month === undefined) return undefined;
    const end = monthAt + month.words;
    const yearAt = this.#afterJoints(end);
    const year = this.#yearAt(yearAt);
    if (year === undefined && !this.#isCertain(month, monthAt, end)) return undefined;
    const length = (year === undefined ? end : yearAt + 1) - at;
    return daysOf({ year, month: month.month, day: token.value }, last === undefined ? undefined : lastDay, length);
  }

  /** Where the second day of `3–5 May` is. */
  #secondDay(at: number): number | undefined {
    const next = this.#afterOrdinal(at + 1);
    const day = this.#tokens[next + 1];
    return this.#isJointOfRange(next) && day !== undefined && isDay(day) ? next + 1 : undefined;
  }

  /** `March 12, 2024`, `March 3–5, 2024`, `March 12`, `March 2024`, `March–May 2024`. */
  #fromMonth(at: number): WordedDate | undefined {
    const month = this.#monthAt(at);
    if (month === undefined) return undefined;
    const end = at + month.words;
    const next = this.#afterJoints(end);
    const year = this.#yearAt(next);
    if (year !== undefined) {
      const isBeforeYear = month.isWhole && next === end && year >= FIRST_YEAR && !this.#is(next + 1, ...UNITS);
      if (month.certain === 'with a year' && !isBeforeYear && !this.#is(end, 'de', '.')) return undefined;
      return { date: { year, month: month.month }, length: next + 1 - at };
    }
    const token = this.#tokens[next];
    if (token === undefined || !isDay(token)) return this.#monthsFrom(at, month, end);
    return this.#dayOfMonth(at, month, next, token.value);
  }

  #dayOfMonth(at: number, month: FoundMonth, dayAt: number, day: number): WordedDate | undefined {
    const last = this.#secondDay(dayAt);
    const end = this.#afterOrdinal((last ?? dayAt) + 1);
    const yearAt = this.#afterJoints(end);
    const year = this.#yearAt(yearAt);
    // In `12 March 24` nothing says whether 24 is a day or a year.
    const isOrdinal = last === undefined && /^(?:st|nd|rd|th)$/.test(this.#foldedAt(dayAt + 1)) && this.#touches(dayAt);
    const isWritten =
      year !== undefined || isOrdinal || (this.#tokens[at - 1]?.kind !== 'number' && this.#isCertain(month, at, end));
    if (!isWritten) return undefined;
    const length = (year === undefined ? (last ?? (isOrdinal ? dayAt + 1 : dayAt)) : yearAt) + 1 - at;
    const lastDay = last === undefined ? undefined : this.#tokens[last]?.value;
    return daysOf({ year, month: month.month, day }, lastDay, length);
  }

  #monthsFrom(at: number, month: FoundMonth, end: number): WordedDate | undefined {
    const last = this.#isJointOfRange(end) ? this.#monthAt(end + 1) : undefined;
    if (last === undefined || last.month <= month.month) return undefined;
    const yearAt = this.#afterJoints(end + 1 + last.words);
    const year = this.#yearAt(yearAt);
    if (year === undefined) return undefined;
    return { date: { year, month: month.month }, until: { year, month: last.month }, length: yearAt + 1 - at };
  }

  /** `2024 March 12`, `2024. március 12.`, `2024 март`. */
  #yearFirst({ value: year }: DateToken, at: number): WordedDate | undefined {
    const monthAt = this.#afterJoints(at + 1);
    const month = this.#monthAt(monthAt);
    if (month === undefined) return undefined;
    const dayAt = this.#afterJoints(monthAt + month.words);
    const day = this.#tokens[dayAt];
    if (day !== undefined && isDay(day)) {
      const date = { year, month: month.month, day: day.value };
      return exists(date) ? { date, length: dayAt + 1 - at } : undefined;
    }
    const isAlone = month.certain === 'alone' && monthAt === at + 1;
    return isAlone ? { date: { year, month: month.month }, length: monthAt + month.words - at } : undefined;
  }

  /** A number is a year after a word such as `since` or `summer`, and before `года`. */
  #yearAlone({ value: year }: DateToken, at: number): WordedDate | undefined {
    const [before, after] = [this.#foldedAt(at - 1), this.#foldedAt(at + 1)];
    if (/^(?:г|год.{0,2}|साल|वर्ष|সাল.{0,2})$/u.test(after)) return { date: { year }, length: 2 };
    if (year >= FIRST_YEAR && IN_YEAR.has(after)) return { date: { year }, length: 2 };
    const names = (word: string): boolean => SEASONS.has(word) || PARTS_OF_YEAR.has(word);
    const isCalled = names(before) || (this.#is(at - 1, 'of', 'de', '-') && names(this.#foldedAt(at - 2)));
    const isNamed = BEFORE_YEAR.get(before)?.includes(this.#language) === true;
    const isOfPart = isCalled && (SEASONS.has(before) || year >= FIRST_YEAR);
    return isOfPart || isNamed ? this.#clearYear(year, at) : undefined;
  }

  #clearYear(year: number, at: number): WordedDate | undefined {
    const isSeason = SEASONS.has(this.#foldedAt(at - 1)) || SEASONS.has(this.#foldedAt(at - 2));
    return isSeason || this.#isClearAfter(at + 1) ? { date: { year }, length: 1 } : undefined;
  }

  /** `2019–2021`, `from 2019 to 2021`, `between 2019 and 2021`. */
  #years({ value: year }: DateToken, at: number): WordedDate | undefined {
    const last = this.#tokens[at + 2];
    const isDash = /^[-–]$/.test(this.#tokens[at + 1]?.text ?? '') && this.#touches(at) && this.#touches(at + 1);
    const isRange = isDash ? !this.#isOfPages(at) : year >= FIRST_YEAR && this.#isWordedRange(at);
    if (!isRange || last === undefined || !isYear(last)) return undefined;
    const isSpan = last.value > year && last.value - year <= MAX_YEARS;
    return isSpan ? { date: { year }, until: { year: last.value }, length: 3 } : undefined;
  }

  #isOfPages(at: number): boolean {
    return PAGES.has(this.#foldedAt(this.#is(at - 1, '.') ? at - 2 : at - 1));
  }

  #isWordedRange(at: number): boolean {
    const [before, joint] = [this.#foldedAt(at - 1), this.#foldedAt(at + 1)];
    const isFrom = FROM_YEAR.has(before) && RANGE_SIGNS.has(joint) && /^\p{L}/u.test(joint);
    const isBetween = BETWEEN_YEARS.get(before)?.includes(joint) === true;
    const isJoined = /^(?:से|থেকে|سے)$/u.test(joint);
    return (isFrom || isBetween || isJoined) && this.#isClearAfter(at + 3);
  }

  #isClearAfter(at: number): boolean {
    const token = this.#tokens[at];
    return token === undefined || isClearAfter(token.text, this.#foldedAt(at));
  }

  /** `Q1 2024`, `1. Quartal 2024`, `first quarter of 2024`, `الربع الأول من 2024`. */
  #quarterFrom(at: number): WordedDate | undefined {
    const [quarter, end] = this.#quarterAt(at);
    if (quarter < 1 || quarter > 4) return undefined;
    const yearAt = this.#afterJoints(end);
    const year = this.#yearAt(yearAt);
    return year === undefined ? undefined : { date: { year, quarter }, length: yearAt + 1 - at };
  }

  /** Its number, and where what follows begins. */
  #quarterAt(at: number): readonly [number: number, end: number] {
    const isLetter = this.#is(at, 'q') || (this.#is(at, 't') && TRIMESTERS.has(this.#language));
    if (isLetter) return this.#touches(at) ? [this.#tokens[at + 1]?.value ?? 0, at + 2] : [0, at];
    if (QUARTERS.has(this.#foldedAt(at))) return [this.#ordinalAt(at + 1), at + 2];
    const wordAt = this.#afterOrdinal(at + 1);
    const number = this.#ordinalAt(at) || (this.#tokens[at]?.value ?? 0);
    return QUARTERS.has(this.#foldedAt(wordAt)) ? [number, wordAt + 1] : [0, at];
  }

  /** 0 for another word. */
  #ordinalAt(at: number): number {
    return ORDINALS.findIndex((words) => words.has(this.#foldedAt(at))) + 1;
  }

  /** `week 12 of 2024`, `KW 12/2024`, `W12 2024`. */
  #weekFrom(at: number): WordedDate | undefined {
    const isLetter = this.#is(at, 'w') && this.#touches(at);
    if (!isLetter && !WEEKS.has(this.#foldedAt(at))) return undefined;
    const { value: week = 0, kind } = this.#tokens[at + 1] ?? {};
    const yearAt = this.#afterJoints(at + 2);
    const year = this.#yearAt(yearAt);
    if (kind !== 'number' || year === undefined || weekStart(year, week) === undefined) return undefined;
    return { date: { year, week }, length: yearAt + 1 - at };
  }

  /**
   * Whether a day without a year is a day: its month cannot be another word, is written as names are in its language, and no other
   * number follows, which could be a year of two digits.
   */
  #isCertain({ certain }: FoundMonth, monthAt: number, end: number): boolean {
    const month = this.#tokens[monthAt]?.text ?? '';
    const isSmall = /^\p{sc=Latin}/u.test(month) && month === month.toLowerCase();
    if (certain === 'with a year' || (isSmall && CAPITAL_MONTHS.has(this.#language))) return false;
    const next = this.#tokens[end];
    if (next?.kind === 'number') return this.#is(end + 1, ':');
    return !(/^['’/-]$/.test(next?.text ?? '') && this.#tokens[end + 1]?.kind === 'number');
  }

  #monthAt(at: number): FoundMonth | undefined {
    const token = this.#tokens[at];
    if (token?.kind !== 'word') return undefined;
    const before = at === 0 ? [] : [this.#foldedAt(at - 1)];
    const words = [...before, ...[0, 1, 2].map((ahead) => this.#foldedAt(at + ahead)).filter((word) => word !== '')];
    return this.#months.at(words, before.length, this.#language);
  }

  #yearAt(at: number): number | undefined {
    const token = this.#tokens[at];
    if (token === undefined || !isYear(token)) return undefined;
    const next = this.#tokens[at + 1];
    const continues = next?.from === token.to && /^[./:-]$/.test(next.text) && this.#tokens[at + 2]?.kind === 'number';
    return continues && this.#tokens[at + 2]?.from === next.to && !isYear(this.#tokens[at + 2] as DateToken)
      ? undefined
      : token.value;
  }

  #afterOrdinal(at: number): number {
    // `3-й`.
    const end = this.#is(at, '-') && this.#touches(at - 1) && this.#touches(at) ? at + 1 : at;
    if (!ORDINAL_ENDINGS.has(this.#foldedAt(end))) return at;
    // `1.º`.
    return this.#is(end, '.') && this.#is(end + 1, 'o', 'a') ? end + 2 : end + 1;
  }

  #afterJoints(from: number): number {
    let at = from;
    while (at - from < MAX_JOINTS && JOINTS.has(this.#foldedAt(at))) at += 1;
    return at;
  }

  #isJointOfRange(at: number): boolean {
    return RANGE_SIGNS.has(this.#foldedAt(at));
  }

  #hasNumberNear(at: number): boolean {
    for (let next = at + 1; next <= at + NEAR; next += 1) if (this.#tokens[next]?.kind === 'number') return true;
    return false;
  }

  /** Whether nothing is between it and the next one. */
  #touches(at: number): boolean {
    return this.#tokens[at]?.to === this.#tokens[at + 1]?.from;
  }

  #is(at: number, ...texts: readonly string[]): boolean {
    return texts.includes(this.#foldedAt(at));
  }

  /** Empty where there is no token. */
  #foldedAt(at: number): string {
    const token = this.#tokens[at];
    if (token === undefined) return '';
    this.#folded[at] ??= foldText(token.text);
    return this.#folded[at];
  }
}

/** In years: a longer span is not a period that a note describes. */
const MAX_YEARS = 200;
/** How far after a word a number can be that belongs to it: `March–May of 2024`. */
const NEAR = 5;
/** Where `T1` is a quarter. */
const TRIMESTERS: ReadonlySet<string> = new Set(['fr', 'es', 'pt', 'it']);
/** In these a month begins with a capital. */
const CAPITAL_MONTHS: ReadonlySet<string> = new Set(['en', 'de']);

function daysOf(date: PlainDate, lastDay: number | undefined, length: number): WordedDate | undefined {
  if (!exists(date)) return undefined;
  if (lastDay === undefined) return { date, length };
  const until = { ...date, day: lastDay };
  return exists(until) && lastDay > (date.day ?? 0) ? { date, until, length } : undefined;
}
