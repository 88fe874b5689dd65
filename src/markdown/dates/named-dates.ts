// Finds the days, weeks, months, seasons, quarters and years that a text names, and ranges of them, in the languages of Moment.js.
import { foldText, WORD_CHARACTERS } from '../excerpt/fold-text.ts';
import { formatMoment } from './moment-format.ts';
import { ENGLISH, type Language } from './moment-language.ts';
import { MonthReader } from './month-names.ts';
import { daysFrom, type NamedPeriod, type Part, periodsOf } from './named-periods.ts';
import {
  BETWEEN,
  CJK_HALVES,
  CJK_PARTS,
  COUNTS,
  FOLLOWS,
  foldedWords,
  HALVES,
  JOINTS,
  LAST,
  ORDINALS,
  QUARTERS,
  THIRDS,
  WEEKS,
  WEEKS_OF_MONTH,
  yearlyTime,
} from './period-words.ts';
import { digits, existing, existingWeek, type PlainDate } from './written/plain-date.ts';
import { RANGE_SIGNS } from './written/ranges.ts';

export interface NamedDate {
  /** Whether its notes are found although they have none of the words. */
  readonly isSure: boolean;
  /** How the ISO dates of its days begin; `_` is any digit, where the text names no year. */
  readonly days: readonly string[];
  /** The days around a day; empty for another unit, and without a year. */
  readonly around: readonly string[];
  /** How headings write it. */
  readonly written: readonly string[];
}

const MAX_DATES = 8;
/** Longer texts are not questions. */
const MAX_LENGTH = 2_000;

/**
 * @param language of the text, for the names of months without a day or a year, which can be other words in another language
 * @returns in the order of the text
 */
export function namedDates(text: string, languages: readonly Language[], language: string): readonly NamedDate[] {
  if (text.length > MAX_LENGTH) return [];
  const months = readerOf(languages);
  const own = languages.find(({ code }) => code === language) ?? ENGLISH;
  const spoken = own === ENGLISH ? [ENGLISH] : [ENGLISH, own];
  const numeric: Numeric[] = [];
  const rest = withMarks(withPlainDigits(foldText(text), months), numeric);
  const periods = clustersOf(partsIn(rest, numeric, months, language)).flatMap(({ parts, isBetween }) =>
    periodsOf(parts, isBetween),
  );
  return distinct(periods.map((period) => describe(period, spoken))).slice(0, MAX_DATES);
}

let reader: { readonly languages: readonly Language[]; readonly months: MonthReader } | undefined;

/** Made once for all texts. */
export function readerOf(languages: readonly Language[]): MonthReader {
  if (reader?.languages !== languages) reader = { languages, months: new MonthReader(languages) };
  return reader.months;
}

function distinct(dates: readonly NamedDate[]): NamedDate[] {
  return [...new Map(dates.map((date) => [date.days.join(), date])).values()];
}

/** What is written in digits, by the sign that is put in its place. */
type Numeric = Part;
/** Undefined for dates that do not exist. */
type Read = (groups: readonly string[]) => readonly (PlainDate | undefined)[] | { readonly decade: number };

const EDGE = String.raw`(?<![\p{L}\p{N}./-])`;
const END = String.raw`(?![\p{L}\p{N}]|[./-]\p{N})`;
const YEAR = String.raw`((?:1\d|20)\d\d)`;
const form = (pattern: string, read: Read): readonly [RegExp, Read] => [
  new RegExp(`${EDGE}${pattern}${END}`, 'gu'),
  read,
];
const quarters = (year: string | undefined, ...of: readonly number[]): PlainDate[] =>
  of.map((quarter) => ({ year: Number(year), quarter }));
const halfYear = (year: string | undefined, half: string | undefined): PlainDate[] =>
  half === '1' ? quarters(year, 1, 2) : quarters(year, 3, 4);
const DECADE = String.raw`((?:1[5-9]|20)\d0|[2-9]0)`;
/** Two digits are a decade of the last century. */
const decadeForm = (pattern: string): readonly [RegExp, Read] => [
  new RegExp(String.raw`(?<![\p{L}\p{N}./])${pattern}`, 'gu'),
  ([year = '']) => ({ decade: Number(year.length === 2 ? `19${year}` : year) }),
];

/** Dates in digits. The first that fits decides. */
const NUMERIC: readonly (readonly [RegExp, Read])[] = [
  form(String.raw`${YEAR}([-/.])(\d{1,2})\2(\d{1,2})`, ([year, , month, day]) => [existing(year, month, day)]),
  form(String.raw`((?:19|20)\d\d)(\d\d)(\d\d)`, ([year, month, day]) => [existing(year, month, day)]),
  form(String.raw`(\d{1,2})([-/.])(\d{1,2})\2${YEAR}`, ([first, sign, second, year]) => {
    const dayFirst = existing(year, second, first);
    // Americans write the month first.
    return sign === '/' || dayFirst === undefined ? [dayFirst, existing(year, first, second)] : [dayFirst];
  }),
  form(String.raw`${YEAR}[-/](\d\d)`, ([year, month]) => [existing(year, month)]),
  form(String.raw`${YEAR}[ -]?w(\d{1,2})`, ([year, week]) => [existingWeek(year, week)]),
  form(`${YEAR}[ -]?q([1-4])`, ([year, quarter]) => quarters(year, Number(quarter))),
  form(`q([1-4])[ /-]?${YEAR}`, ([quarter, year]) => quarters(year, Number(quarter))),
  form(`${YEAR}[ -]?h([12])`, ([year, half]) => halfYear(year, half)),
  form(`h([12])[ /-]?${YEAR}`, ([half, year]) => halfYear(year, half)),
  decadeForm(String.raw`((?:1[5-9]|20)\d0)(?:s|ers?|ern|-?(?:е|х|ых))(?!\p{L})`),
  decadeForm(String.raw`(?:['’]|(?<=(?:the|early|mid|late|in|die|den|der)[ -]))([2-9]0)s(?!\p{L})`),
  decadeForm('([2-9]0)(?:er|ern|-?(?:е|х|ых))(?= jahr| год)'),
  decadeForm(`(?<=(?:annees|anos|anni) )${DECADE}${END}`),
  decadeForm(`${DECADE}(?:年 ?代|년 ?대)`),
];

/** Puts a sign in the place of each date in digits. */
function withMarks(text: string, numeric: Numeric[]): string {
  return NUMERIC.reduce((left, [form, read]) => {
    return left.replace(form, (...groups) => {
      const found = read(groups.slice(1, -2) as string[]);
      const dates = 'decade' in found ? [] : found.filter((date) => date !== undefined);
      if ('decade' in found) numeric.push({ kind: 'decade', value: found.decade });
      else if (dates.length > 0) numeric.push({ kind: 'dates', dates });
      else return groups[0] as string;
      return ` ${String.fromCodePoint(MARKS + numeric.length - 1)} `;
    });
  }, text);
}

/** The first of the characters that Unicode gives no meaning. */
const MARKS = 0xf0000;

function withPlainDigits(text: string, { digits }: MonthReader): string {
  const plain = text.replace(/[^\0-\x7f]/gu, (sign) => digits.get(sign) ?? sign);
  const counted = plain.replace(CHINESE_NUMBER, (number) => String(chineseNumber(number)));
  return CJK_ENDS.reduce((apart, end) => apart.replace(end, ' $1 '), counted.replace(CJK_UNIT, ' $1$2 '));
}

export const CHINESE_DIGITS = '〇一二三四五六七八九';
const CHINESE_NUMBER =
  /(?<![〇零一二三四五六七八九十])[〇零一二三四五六七八九十]{1,4}(?=[年月日号號季周週]|季度|四半期)/gu;
const CJK_UNIT = /(\d{1,4}) ?(四半期|季度|분기|년|월|일|年|月|日|号|號|周|週|주)/gu;
/** What follows a year, a month or a season without a blank. */
const CJK_ENDS = [
  /(?<=[年月] *)([の的])/gu,
  /(?<=年[ の的]*)([春夏秋冬])[天季]?/gu,
  new RegExp(`(?<=[年月년월春夏秋冬][ の的]*)(${CJK_PARTS})`, 'gu'),
  /(?<=[年月][ の的]*)(最[后後])/gu,
  /(?<=最[后後] *の)(週)/gu,
];

export function chineseNumber(written: string): number {
  const digitOf = (sign: string): number => CHINESE_DIGITS.indexOf(sign.replace('零', '〇'));
  if (!written.includes('十')) return Number([...written].map(digitOf).join(''));
  const [tens = '', ones = ''] = written.split('十');
  return (tens === '' ? 1 : digitOf(tens)) * 10 + (ones === '' ? 0 : digitOf(ones));
}

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+|[^\\s${WORD_CHARACTERS}]`, 'gu');
const NUMBER = /^(\d{1,4})(四半期|季度|분기|년|월|일|年|月|日|号|號|周|週|주|[a-zа-я]{1,3}|\p{L}{1,2})?$/u;
const YEAR_NUMBER = /^(?:1\d|20)\d\d$/;
const UNIT_SIGNS = new Map(
  Object.entries({
    year: '年 년',
    month: '月 월',
    day: '日 일 号 號',
    week: '周 週 주',
    quarter: '四半期 季度 분기',
  } as const).flatMap(([kind, signs]) =>
    signs.split(' ').map((sign) => [sign, kind as 'year' | 'month' | 'day' | 'week' | 'quarter'] as const),
  ),
);

type Word = Part | { readonly kind: 'gap' | 'joint' | 'in' | 'between' | 'range' };

function partsIn(text: string, numeric: readonly Numeric[], months: MonthReader, language: string): Word[] {
  const words = text.match(WORDS) ?? [];
  const parts: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const month = months.at(words, at, language);
    // `des` and `du` are short names of months in other languages.
    const isJoint = month?.words === 1 && JOINTS.has(word) && !YEAR_NUMBER.test(words[at + 1] ?? '');
    if (month === undefined || isJoint)
      parts.push(numeric[(word.codePointAt(0) ?? 0) - MARKS] ?? partOf(word, words, at));
    else {
      parts.push({ kind: 'month', value: month.month, certain: month.certain });
      at += month.words - 1;
    }
  }
  return parts;
}

/** What follows is divided by it. */
const isDivided = (part: Word | undefined): boolean => part !== undefined && /^(?:week|half|share)$/.test(part.kind);

function partOf(written: string, words: readonly string[], at: number): Word {
  const number = numberPart(written);
  if (number !== undefined) return number;
  for (const word of withoutParticles(written)) {
    const part = wordPart(word) ?? yearlyPart(word, words, at);
    if (part !== undefined) return part;
  }
  if (BETWEEN.has(written)) return { kind: 'between' };
  if (RANGE_SIGNS.has(written)) return { kind: 'range' };
  if (BEFORE_TIME.has(written)) return { kind: 'in' };
  return { kind: JOINTS.has(written) ? 'joint' : 'gap' };
}

/** Korean puts them at the end of a word. */
const withoutParticles = (word: string): string[] =>
  HANGUL.test(word) ? [0, 1, 2].map((letters) => word.slice(0, word.length - letters)) : [word];
const HANGUL = /^\p{sc=Hang}/u;
const BEFORE_TIME = foldedWords('in im en em no dans в في में');

function numberPart(word: string): Word | undefined {
  const [, digits, after = ''] = NUMBER.exec(word) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  const kind = UNIT_SIGNS.get(after);
  if (kind === 'month') return value >= 1 && value <= 12 ? { kind, value, certain: 'alone' } : { kind: 'gap' };
  if (kind === 'year') return YEAR_NUMBER.test(digits) ? { kind, value } : { kind: 'gap' };
  if (kind !== undefined) return { kind, value };
  if (after === '' && YEAR_NUMBER.test(digits)) return { kind: 'year', value };
  return value >= 1 && value <= 53 ? { kind: 'number', value } : { kind: 'gap' };
}

const indexIn = (lists: readonly ReadonlySet<string>[], word: string): number =>
  lists.findIndex((words) => words.has(word));

function wordPart(word: string): Part | undefined {
  if (QUARTERS.has(word)) return { kind: 'quarter', value: 0 };
  if (WEEKS.has(word) || WEEKS_OF_MONTH.has(word)) return { kind: 'week', value: 0 };
  if (HALVES.has(word)) return { kind: 'half' };
  if (LAST.has(word)) return { kind: 'last' };
  const [ordinal, count] = [indexIn(ORDINALS, word), indexIn(COUNTS, word)];
  if (ordinal !== -1 || count !== -1) return { kind: 'number', value: ordinal === -1 ? count + 2 : ordinal + 1 };
  for (const [of, shares] of SHARES) {
    const value = indexIn(shares, word);
    if (value !== -1) return { kind: 'share', value, of, follows: FOLLOWS.test(word) };
  }
  return undefined;
}

const SHARES = [
  [3, THIRDS],
  [2, CJK_HALVES],
] as const;

function yearlyPart(word: string, words: readonly string[], at: number): Part | undefined {
  const before = words.slice(0, at).findLast((one) => !JOINTS.has(one) && !/^(?:['’]|l)$/.test(one));
  const time = yearlyTime(word, before);
  return time && { kind: 'yearly', time };
}

interface Cluster {
  readonly parts: Part[];
  readonly isBetween: boolean;
}

/** Runs of parts without gaps, and without joints. */
function clustersOf(parts: readonly Word[]): Cluster[] {
  const clusters: Cluster[] = [{ parts: [], isBetween: false }];
  let isEnd = false;
  for (const part of parts) {
    const current = clusters.at(-1)?.parts ?? [];
    const isJoint = part.kind === 'in' && isDivided(current.at(-1));
    if (part.kind === 'joint' || isJoint) continue;
    if (part.kind === 'gap' || part.kind === 'in' || part.kind === 'between')
      clusters.push({ parts: [], isBetween: part.kind === 'between' });
    else if (isPart(part)) current.push({ ...part, isEnd });
    isEnd = part.kind === 'range';
  }
  return clusters.filter(({ parts }) => parts.length > 0);
}

const isPart = (word: Word): word is Part => !/^(?:gap|joint|in|between|range)$/.test(word.kind);

function describe({ date, units, isSure }: NamedPeriod, languages: readonly Language[]): NamedDate {
  const { year, day } = date ?? {};
  const around = day === undefined || year === undefined ? [] : daysFrom(units[0] ?? '', -3);
  return { isSure, days: units, around, written: date === undefined ? [] : writtenForms(date, languages) };
}

/** In digits, and with the name of the month in English and in the language of the text. */
const SPELLED = { day: ['MMMM D, YYYY', 'D MMMM YYYY'], month: ['MMMM YYYY'] };
const WITH_OF = { day: ['D [de] MMMM [de] YYYY'], month: ['MMMM [de] YYYY'] };
const OF_LANGUAGES = new Set(['es', 'pt']);
const IN_DIGITS = { day: ['YYYY-MM-DD', 'DD.MM.YYYY', 'D.M.YYYY'], month: ['YYYY-MM'] };

function writtenForms({ year, month, day, quarter, week }: PlainDate, languages: readonly Language[]): string[] {
  if (quarter !== undefined) return year === undefined ? [] : [`${digits(year, 4)}-Q${quarter}`];
  if (week !== undefined) return [`${digits(year ?? 0, 4)}-W${digits(week)}`];
  if (month === undefined) return [];
  const at = new Date(year ?? 2000, month - 1, day ?? 1);
  const unit = day === undefined ? 'month' : 'day';
  const spelled = languages.flatMap((language) =>
    (OF_LANGUAGES.has(language.code) ? WITH_OF : SPELLED)[unit].map((format) => ({ language, format })),
  );
  const all = [...IN_DIGITS[unit].map((format) => ({ language: ENGLISH, format })), ...spelled];
  const forms = all.flatMap(({ language, format }) => {
    if (year === undefined && !format.includes('MMMM')) return [];
    const formatted = formatMoment(
      at,
      year === undefined ? format.replace(/,? (?:\[de\] )?YYYY/, '') : format,
      language,
    );
    return 'text' in formatted ? [formatted.text] : [];
  });
  return [...new Set(forms)];
}
