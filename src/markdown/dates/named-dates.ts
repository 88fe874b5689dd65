// Finds the days, weeks, months, quarters and years that a text names, in the languages of Moment.js.
import { foldText, WORD_CHARACTERS } from '../excerpt/fold-text.ts';
import { formatMoment } from './moment-format.ts';
import { ENGLISH, type Language } from './moment-language.ts';
import { type FoundMonth, MonthReader } from './month-names.ts';
import { weekStart } from './note-date.ts';
import { digits, existing, existingWeek, exists, type PlainDate } from './written/plain-date.ts';

export type NamedUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

export interface NamedDate {
  readonly unit: NamedUnit;
  /** How the ISO dates of its days begin; `_` is any digit, where the text names no year. */
  readonly days: readonly string[];
  /** The days around a day; empty for another unit, and without a year. */
  readonly around: readonly string[];
  /** How headings write it. */
  readonly written: readonly string[];
}

/** A part of a date, or `gap`, which no date contains. */
type Part =
  | { readonly kind: 'month'; readonly value: number; readonly certain: FoundMonth['certain'] }
  | { readonly kind: 'year' | 'number' | 'day' | 'quarter' | 'week'; readonly value: number }
  | { readonly kind: 'gap' | 'joint' };

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
  const named: NamedDate[] = [];
  const folded = withPlainDigits(foldText(text), months);
  const rest = NUMERIC.reduce((left, [form, read]) => {
    return left.replace(form, (...groups) => {
      const dates = read(groups.slice(1, -2) as string[]).filter((date) => date !== undefined);
      named.push(...dates.map((date) => describe(date, spoken)));
      return dates.length === 0 ? (groups[0] as string) : ' | ';
    });
  }, folded);
  for (const cluster of clustersOf(partsIn(rest, months, language)))
    named.push(...datesOf(cluster).map((date) => describe(date, spoken)));
  return distinct(named).slice(0, MAX_DATES);
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

/** The dates that it can be; undefined for one that does not exist. */
type Read = (groups: readonly string[]) => readonly (PlainDate | undefined)[];

const EDGE = String.raw`(?<![\p{L}\p{N}./-])`;
const END = String.raw`(?![\p{L}\p{N}]|[./-]\p{N})`;
const YEAR = String.raw`((?:1\d|20)\d\d)`;
const form = (pattern: string, read: Read): readonly [RegExp, Read] => [
  new RegExp(`${EDGE}${pattern}${END}`, 'gu'),
  read,
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
  form(`${YEAR}[ -]?q([1-4])`, ([year, quarter]) => [{ year: Number(year), quarter: Number(quarter) }]),
  form(`q([1-4])[ /-]?${YEAR}`, ([quarter, year]) => [{ year: Number(year), quarter: Number(quarter) }]),
];

function withPlainDigits(text: string, { digits }: MonthReader): string {
  const plain = text.replace(/[^\0-\x7f]/gu, (sign) => digits.get(sign) ?? sign);
  const counted = plain.replace(CHINESE_NUMBER, (number) => String(chineseNumber(number)));
  return counted.replace(CJK_UNIT, ' $1$2 ');
}

export const CHINESE_DIGITS = '〇一二三四五六七八九';
const CHINESE_NUMBER = /(?<![〇零一二三四五六七八九十])[〇零一二三四五六七八九十]{1,4}(?=[年月日号號季]|季度|四半期)/gu;
const CJK_UNIT = /(\d{1,4}) ?(四半期|季度|분기|년|월|일|年|月|日|号|號|周|週|주)/gu;

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
/** What is between the parts of a date, in the ten languages with the most writers and their neighbours, folded. */
const JOINTS = new Set(
  [
    ', . - – — / ~ of the and to del de la do da di du le el den der dem des r g',
    'г года году року год st nd rd th го й я ий er ere е er ere eme nam ngay thang anul an ano annee jahr jahres year',
    'und bis et au y e a i al и по до سنه عام من वर्ष साल सन की के का से সালের সাল সন থেকে 第 から 到 至 의 부터',
  ].flatMap((line) => line.split(' ')),
);
export const QUARTERS: ReadonlySet<string> = new Set(
  'quarter quartal quartals trimestre trimestral trimestres квартал квартала квартале तिमाही ربع الربع ত্রৈমাসিক kvartal kwartal'.split(
    ' ',
  ),
);
export const WEEKS: ReadonlySet<string> = new Set(
  'week kw woche kalenderwoche semana semaine settimana неделя неделе недели सप्ताह الأسبوع أسبوع الاسبوع اسبوع সপ্তাহ cw tydzien'.split(
    ' ',
  ),
);
export const ORDINALS: readonly ReadonlySet<string>[] = [
  'first erstes ersten primer primeiro premier первый первом первого पहली पहले الاول প্রথম',
  'second zweites zweiten segundo deuxieme второй втором второго दूसरी दूसरे الثاني দ্বিতীয়',
  'third drittes dritten tercer terceiro troisieme третий третьем третьего तीसरी तीसरे الثالث তৃতীয়',
  'fourth viertes vierten cuarto quarto quatrieme четвертый четвертом четвертого चौथी चौथे الرابع চতুর্থ',
].map((line) => new Set(line.split(' ')));

function partsIn(text: string, months: MonthReader, language: string): Part[] {
  const words = text.match(WORDS) ?? [];
  const parts: Part[] = [];
  for (let at = 0; at < words.length; at++) {
    const month = months.at(words, at, language);
    if (month === undefined) parts.push(partOf(words[at] as string));
    else {
      parts.push({ kind: 'month', value: month.month, certain: month.certain });
      at += month.words - 1;
    }
  }
  return parts;
}

function partOf(word: string): Part {
  const [, digits, after = ''] = NUMBER.exec(word) ?? [];
  if (digits !== undefined) {
    const value = Number(digits);
    const kind = UNIT_SIGNS.get(after);
    if (kind === 'month') return value >= 1 && value <= 12 ? { kind, value, certain: 'alone' } : { kind: 'gap' };
    if (kind === 'year') return YEAR_NUMBER.test(digits) ? { kind, value } : { kind: 'gap' };
    if (kind !== undefined) return { kind, value };
    if (after === '' && YEAR_NUMBER.test(digits)) return { kind: 'year', value };
    return value >= 1 && value <= 53 ? { kind: 'number', value } : { kind: 'gap' };
  }
  if (QUARTERS.has(word)) return { kind: 'quarter', value: 0 };
  if (WEEKS.has(word)) return { kind: 'week', value: 0 };
  const ordinal = ORDINALS.findIndex((words) => words.has(word));
  if (ordinal !== -1) return { kind: 'number', value: ordinal + 1 };
  return { kind: JOINTS.has(word) ? 'joint' : 'gap' };
}

/** Runs of parts without gaps, and without joints. */
function clustersOf(parts: readonly Part[]): Part[][] {
  const clusters: Part[][] = [[]];
  for (const part of parts) {
    if (part.kind === 'gap') clusters.push([]);
    else if (part.kind !== 'joint') clusters.at(-1)?.push(part);
  }
  return clusters.filter(({ length }) => length > 0);
}

/** The dates that a run of parts names: a year counts for all parts beside it that have none. */
function datesOf(cluster: readonly Part[]): PlainDate[] {
  const dates: PlainDate[] = [];
  for (const [at, part] of cluster.entries()) {
    const year = yearNear(cluster, at);
    if (part.kind === 'month') dates.push(...monthOf(cluster, at, part, year));
    if (part.kind === 'quarter') dates.push(...countedOf(cluster, at, part.value, 4, (quarter) => ({ year, quarter })));
    if (part.kind === 'week' && year !== undefined)
      dates.push(...countedOf(cluster, at, part.value, 53, (week) => ({ year, week })));
  }
  const years = cluster.flatMap((part) => (part.kind === 'year' ? [{ year: part.value }] : []));
  return dates.length === 0 ? years : dates.filter(exists);
}

/** The next one after the part, else the one before it. */
function yearNear(cluster: readonly Part[], at: number): number | undefined {
  const isYear = ({ kind }: Part): boolean => kind === 'year';
  const year = cluster.slice(at + 1).find(isYear) ?? cluster.slice(0, at).findLast(isYear);
  return year?.kind === 'year' ? year.value : undefined;
}

/** A month, or the days beside it: `3 July`, `July 3`, `July 3 and 5`. */
function monthOf(
  cluster: readonly Part[],
  at: number,
  { value: month, certain }: Part & { readonly kind: 'month' },
  year: number | undefined,
): PlainDate[] {
  const isDay = (part: Part | undefined): part is Part & { value: number } =>
    part !== undefined && (part.kind === 'number' || part.kind === 'day') && part.value <= 31;
  const days: number[] = [];
  for (let next = at + 1; isDay(cluster[next]); next++) days.push((cluster[next] as { value: number }).value);
  for (let before = at - 1; days.length === 0 && isDay(cluster[before]); before--)
    days.push((cluster[before] as { value: number }).value);
  if (year === undefined && certain === 'with a year') return [];
  if (days.length > 0) return days.map((day) => ({ year, month, day }));
  return certain === 'alone' || year !== undefined ? [{ year, month }] : [];
}

/** A quarter or a week with its number in its own word, before it or after it. */
function countedOf(
  cluster: readonly Part[],
  at: number,
  own: number,
  max: number,
  of: (value: number) => PlainDate,
): PlainDate[] {
  const near = [cluster[at - 1], cluster[at + 1]].flatMap((part) => (part?.kind === 'number' ? [part.value] : []));
  const [value = 0] = own > 0 ? [own] : near;
  const date = of(value);
  if (value < 1 || value > max) return [];
  return date.week !== undefined && weekStart(date.year ?? 0, date.week) === undefined ? [] : [date];
}

const DAY_MS = 86_400_000;

function describe(date: PlainDate, languages: readonly Language[]): NamedDate {
  const { month, day, quarter, week } = date;
  const year = date.year === undefined ? '____' : digits(date.year, 4);
  const named = { around: [], written: [] };
  if (week !== undefined) {
    const monday = weekStart(date.year ?? 0, week) ?? '';
    return { ...named, unit: 'week', days: daysFrom(monday, 0), written: [`${year}-W${digits(week)}`] };
  }
  if (quarter !== undefined) {
    const days = [2, 1, 0].map((before) => `${year}-${digits(3 * quarter - before)}`);
    return { ...named, unit: 'quarter', days, written: date.year === undefined ? [] : [`${year}-Q${quarter}`] };
  }
  if (month === undefined) return { ...named, unit: 'year', days: [year] };
  const forms = writtenForms(date, languages);
  if (day === undefined) return { ...named, unit: 'month', days: [`${year}-${digits(month)}`], written: forms };
  const isoDay = `${year}-${digits(month)}-${digits(day)}`;
  return { unit: 'day', days: [isoDay], around: date.year === undefined ? [] : daysFrom(isoDay, -3), written: forms };
}

/** A week of days. */
function daysFrom(day: string, before: number): string[] {
  const first = Date.parse(day) + before * DAY_MS;
  return [0, 1, 2, 3, 4, 5, 6].map((after) => new Date(first + after * DAY_MS).toISOString().slice(0, 10));
}

/** In digits, and with the name of the month in English and in the language of the text. */
const SPELLED = { day: ['MMMM D, YYYY', 'D MMMM YYYY'], month: ['MMMM YYYY'] };
const WITH_OF = { day: ['D [de] MMMM [de] YYYY'], month: ['MMMM [de] YYYY'] };
const OF_LANGUAGES = new Set(['es', 'pt']);
const IN_DIGITS = { day: ['YYYY-MM-DD', 'DD.MM.YYYY', 'D.M.YYYY'], month: ['YYYY-MM'] };

function writtenForms({ year, month = 1, day }: PlainDate, languages: readonly Language[]): string[] {
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
