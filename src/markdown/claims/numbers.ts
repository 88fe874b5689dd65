// Reads the numbers of a sentence in the digits of any script, with what each counts.
import { foldText } from '../excerpt/fold-text.ts';
import { isStopWord } from '../excerpt/stop-words.ts';
import { unitStem } from './word-endings.ts';

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}`;
const SEPARATED = String.raw`[.,٫٬'’](?=\p{Nd})\p{Nd}+|[ \u00a0\u202f]\p{Nd}{3}(?!\p{Nd})`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{Nd}_.,]|[^\P{L}${UNSPACED}])[-−+]?\p{Nd}+(?:${SEPARATED})*(?!\p{Nd})`,
  'gu',
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const OTHER_SCRIPT = new RegExp(`(?<=[\\p{sc=Latn}%°])[${UNSPACED}].*$`, 'u');
const AFTER = /^\s?(%|‰|°\p{L}?|[€$£¥₹]|[\p{L}\p{M}]+(?:²|³|\/\p{L}+)?)?/u;
const BEFORE = /([\p{L}\p{M}#№§]+|[€$£¥₹])[.:]?\s?$/u;
const CURRENCY = /^[€$£¥₹]$/u;
/** The number after one of these says which, not how many. */
const LABELS: ReadonlySet<string> = new Set([
  ...[
    '#',
    '№',
    'rfc',
    'iso',
    'isbn',
    '§',
    'no',
    'nr',
    'v',
    'version',
    'chapter',
    'part',
    'page',
    'section',
    'step',
    'room',
    'berth',
    'level',
  ],
  ...['day', 'week', 'figure', 'table', 'volume', 'vol', 'issue', 'episode', 'season', 'phase', 'item', 'case', 'type'],
  ...['kapitel', 'teil', 'seite', 'schritt', 'raum', 'tag', 'woche', 'abschnitt', 'band', 'version', 'nummer'],
  ...[
    'capítulo',
    'capitulo',
    'parte',
    'página',
    'pagina',
    'paso',
    'sección',
    'seccion',
    'número',
    'numero',
    'día',
    'dia',
  ],
  ...['chapitre', 'partie', 'page', 'étape', 'etape', 'jour', 'numéro', 'semaine', 'глава', 'часть', 'стр', 'страница'],
  ...['шаг', 'день', 'номер', '챕터', 'ch', 'p', 'pp', '第', 'अध्याय', 'فصل', 'صفحة', 'অধ্যায়', 'باب'],
]);
/** A number before one of these is a place in a book. */
const PLACES: ReadonlySet<string> = new Set(['쪽', '페', '부', '장', '页', '頁', '章', '节', '節', '巻', '卷']);
const MAX_UNIT = 20;
/** Units of one measure, and how many of the first each is. As they are written: `M` is not `m`. */
const MEASURES: readonly (readonly [base: string, units: string])[] = [
  ['m', 'mm=.001 cm=.01 m=1 km=1000 мм=.001 см=.01 м=1 км=1000 毫米=.001 厘米=.01 公里=1000 千米=1000'],
  [
    'g',
    'mg=.001 g=1 kg=1000 t=1000000 мг=.001 г=1 кг=1000 т=1000000 كغ=1000 公斤=1000 千克=1000 吨=1000000 噸=1000000',
  ],
  ['g', 'kilo=1000 kilos=1000 tonne=1000000 tonnes=1000000 tonnen=1000000 tonelada=1000000 toneladas=1000000'],
  [
    'g',
    'тонн=1000000 тонны=1000000 тонна=1000000 टन=1000000 किलो=1000 किग्रा=1000 トン=1000000 キロ=1000 طن=1000000 طنا=1000000',
  ],
  ['l', 'ml=.001 cl=.01 l=1 L=1 mL=.001 hl=100 мл=.001 л=1 毫升=.001'],
  ['s', 'ms=.001 s=1 sec=1 min=60 h=3600 мин=60 ч=3600'],
  ['W', 'W=1 kW=1000 MW=1000000 GW=1000000000 Вт=1 кВт=1000 МВт=1000000'],
  ['Wh', 'Wh=1 kWh=1000 MWh=1000000 кВтч=1000'],
  ['B', 'KB=1000 kB=1000 MB=1000000 GB=1000000000 TB=1000000000000'],
];
const FACTORS = new Map(
  MEASURES.flatMap(([base, units]) =>
    units.split(' ').map((written) => {
      const [unit = '', factor] = written.split('=');
      return [unit, { base, factor: Number(factor) }] as const;
    }),
  ),
);
/** Sums of fractions are not exact. */
const DIGITS = 9;

/** A name with a number, such as the title of one of two songs. */
const NUMBERED_NAME = /^((?:\p{L}[\p{L}\p{M}'’-]{0,40} ){1,3})(\p{Nd}{1,4})$/u;

/** The least and the most that a number can be, which are one unless it is a range. */
export type Amount = readonly [least: number, most: number];

/** What is before the last number of a range: `12 to 15 m`, `12–15 m`, `between 12 and 15 m`. */
const RANGE = new RegExp(
  String.raw`(?<!\p{Nd})(?:(?:between|zwischen|entre|между)\s(?<of>NUMBER)\s(?:and|und|et|y|e|и)|(?<from>NUMBER)\s?(?:[-‐-―~〜～]|to|bis|à|a|до|至|到|から|से|থেকে|إلى|sampai|hingga))\s?$`.replaceAll(
    'NUMBER',
    String.raw`\p{Nd}[\p{Nd}.,]{0,12}`,
  ),
  'u',
);
const MAX_RANGE = 40;

/** @param text without dates */
export function numbersIn(text: string) {
  const [, name = '', last = ''] = NUMBERED_NAME.exec(text) ?? [];
  const numbers = new Map<string, (readonly Amount[])[]>();
  if (name !== '' && !name.split(' ').some((word) => isStopWord(foldText(word)))) return { numbers, labels: last };
  const measured = new Map<string, Set<number>>();
  const labels: string[] = [];
  let previous: string | undefined;
  for (const { index, 0: written } of text.matchAll(NUMBER)) {
    const values = valuesOf(written);
    const [, before = ''] = BEFORE.exec(text.slice(Math.max(0, index - MAX_UNIT), index)) ?? [];
    const [, after = ''] = AFTER.exec(text.slice(index + written.length, index + written.length + MAX_UNIT)) ?? [];
    if (LABELS.has(foldText(before)) || LABELS.has(before.toLowerCase()))
      labels.push(`${foldText(before)} ${values[0]}`);
    else if (!PLACES.has(unitOf(after))) {
      const measure = measureOf(after);
      const amounts = amountsOf(firstOfRange(text.slice(Math.max(0, index - MAX_RANGE), index)), values);
      const isRange = amounts.some(([least, most]) => least < most);
      const currency = [before, isRange ? previous : ''].find((sign = '') => CURRENCY.test(sign));
      // What was read as a number of its own is the beginning of the range.
      if (isRange && previous !== undefined) removeLast(numbers, previous);
      const unit = currency ?? measure?.base ?? unitOf(after);
      numbers.set(unit, [...(numbers.get(unit) ?? []), measure ? inBase(amounts, measure.factor) : amounts]);
      if (measure) measured.set(unit, (measured.get(unit) ?? new Set()).add(measure.factor));
      previous = unit;
    }
  }
  for (const [unit, factors] of measured) if (factors.size > 1) addSum(numbers, unit);
  return { numbers, labels: labels.join() };
}

/** In scripts without spaces, the longest that the words begin with. */
function measureOf(after: string) {
  const unit = unitIn(after);
  if (!IS_UNSPACED.test(unit)) return FACTORS.get(unit) ?? FACTORS.get(unit.toLowerCase());
  return FACTORS.get(unit.slice(0, 2)) ?? FACTORS.get(unit.slice(0, 1));
}

const precise = (value: number): number => Number(value.toPrecision(DIGITS));

const inBase = (amounts: readonly Amount[], factor: number): readonly Amount[] =>
  amounts.map(([least, most]) => [precise(least * factor), precise(most * factor)]);

function firstOfRange(before: string): readonly number[] {
  const { of, from = of } = RANGE.exec(before)?.groups ?? {};
  return from === undefined ? [] : valuesOf(from);
}

/** @param first those with which a range begins: both are meant in one way */
function amountsOf(first: readonly number[], values: readonly number[]): readonly Amount[] {
  const ranges = values.map((most, at): Amount => [first[at] ?? first[0] ?? most, most]);
  return ranges.every(([least, most]) => least < most) ? ranges : values.map((value) => [value, value]);
}

function removeLast(numbers: Map<string, (readonly Amount[])[]>, unit: string): void {
  const rest = (numbers.get(unit) ?? []).slice(0, -1);
  if (rest.length === 0) numbers.delete(unit);
  else numbers.set(unit, rest);
}

/** `2 h 30 min` is one number. */
function addSum(numbers: Map<string, (readonly Amount[])[]>, unit: string): void {
  const all = numbers.get(unit) ?? [];
  const sum = precise(all.reduce((total, [[value] = [0]]) => total + value, 0));
  numbers.set(unit, [...all, [[sum, sum]]]);
}

/** In scripts without spaces the first character. */
const unitOf = (after: string): string =>
  IS_UNSPACED.test(after) ? foldText([...after][0] ?? '') : unitStem(foldText(unitIn(after)));

/** `kg` of `7500kgまで`. */
const unitIn = (after: string): string => after.trim().replace(OTHER_SCRIPT, '');

/** `1.200` is 1.2 or 1200, as its writer means it. */
function valuesOf(number: string): readonly number[] {
  const digits = plainDigits(number).replace('−', '-').replace('٫', '.').replace('٬', ',');
  const plain = digits.replace(/['’ \u00a0\u202f]/g, '');
  const values = [Number(plain.replaceAll(',', '')), Number(plain.replaceAll('.', '').replace(',', '.'))];
  return [...new Set(values.filter((value) => Number.isFinite(value)))];
}

/** Every script has its ten digits in a row, which begin at a multiple of ten after the first. */
function plainDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (sign) => (/\p{Nd}/u.test(sign) ? String(digitOf(sign)) : sign));
}

function digitOf(sign: string): number {
  const code = sign.codePointAt(0) ?? 0;
  let digit = 0;
  while (digit < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - digit - 1))) digit += 1;
  return digit;
}
