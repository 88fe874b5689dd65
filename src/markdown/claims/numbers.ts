// Reads the numbers of a sentence in the digits of any script, with what each counts.
import { foldText } from '../excerpt/fold-text.ts';
import { isStopWord } from '../excerpt/stop-words.ts';

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}`;
const SEPARATED = String.raw`[.,٫٬'’](?=\p{Nd})\p{Nd}+|[ \u00a0\u202f]\p{Nd}{3}(?!\p{Nd})`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{Nd}_.,]|[^\P{L}${UNSPACED}])[-−+]?\p{Nd}+(?:${SEPARATED})*(?!\p{Nd})`,
  'gu',
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
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

/** A name with a number, such as the title of one of two songs. */
const NUMBERED_NAME = /^((?:\p{L}[\p{L}\p{M}'’-]{0,40} ){1,3})(\p{Nd}{1,4})$/u;

/** @param text without dates */
export function numbersIn(text: string) {
  const [, name = '', last = ''] = NUMBERED_NAME.exec(text) ?? [];
  if (name !== '' && !name.split(' ').some((word) => isStopWord(foldText(word))))
    return { numbers: new Map<string, (readonly number[])[]>(), labels: last };
  const numbers = new Map<string, (readonly number[])[]>();
  const labels: string[] = [];
  for (const { index, 0: written } of text.matchAll(NUMBER)) {
    const values = valuesOf(written);
    const [, before = ''] = BEFORE.exec(text.slice(Math.max(0, index - MAX_UNIT), index)) ?? [];
    const [, after = ''] = AFTER.exec(text.slice(index + written.length, index + written.length + MAX_UNIT)) ?? [];
    if (LABELS.has(foldText(before)) || LABELS.has(before.toLowerCase()))
      labels.push(`${foldText(before)} ${values[0]}`);
    else if (!PLACES.has(unitOf(after))) {
      const unit = CURRENCY.test(before) ? before : unitOf(after);
      numbers.set(unit, [...(numbers.get(unit) ?? []), values]);
    }
  }
  return { numbers, labels: labels.join() };
}

/** In scripts without spaces the first character. */
const unitOf = (after: string): string => foldText(IS_UNSPACED.test(after) ? ([...after][0] ?? '') : after);

/** `1.200` is 1.2 or 1200, as its writer means it. */
function valuesOf(written: string): readonly number[] {
  const digits = plainDigits(written).replace('−', '-').replace('٫', '.').replace('٬', ',');
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
