// Detects in which language a text writes its dates, and in which order it writes days and months.
import { languageOf } from '../../excerpt/languages.ts';
import type { WrittenIn } from './written-dates.ts';

/** How much of a text shows its language. */
const SAMPLE = 2_000;
const LETTERS = /\p{L}/gu;
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{sc=Hira}\p{sc=Kana}]/gu, 'ja'],
  [/\p{sc=Hang}/gu, 'ko'],
  [/\p{sc=Han}/gu, 'zh'],
  [/\p{sc=Cyrl}/gu, 'ru'],
  [/\p{sc=Deva}/gu, 'hi'],
  [/\p{sc=Beng}/gu, 'bn'],
  [/\p{sc=Arab}/gu, 'ar'],
  [/\p{sc=Grek}/gu, 'el'],
  [/\p{sc=Hebr}/gu, 'he'],
  [/\p{sc=Thai}/gu, 'th'],
];
/** Names in other scripts are fewer letters. */
const MIN_SHARE = 0.2;
/** Languages in the script of a larger one, by letters that only they have. */
const OWN_LETTERS: Readonly<Record<string, readonly [RegExp, string]>> = {
  ru: [/[іїєґ]/giu, 'uk'],
  ar: [/[ٹڈڑںے]/gu, 'ur'],
};
const MIN_OWN_SHARE = 0.02;
const CODES: Readonly<Record<string, string>> = {
  English: 'en',
  German: 'de',
  French: 'fr',
  Spanish: 'es',
  Portuguese: 'pt',
  Italian: 'it',
  Dutch: 'nl',
  Swedish: 'sv',
  Danish: 'da',
  Finnish: 'fi',
  Polish: 'pl',
  Czech: 'cs',
  Hungarian: 'hu',
  Turkish: 'tr',
  Romanian: 'ro',
  Indonesian: 'id',
  Vietnamese: 'vi',
};
/** In these, `3/4/2024` has one order; in English both orders are usual. */
const DAY_FIRST: ReadonlySet<string> = new Set(
  'de fr es pt it nl da fi pl cs tr ro id vi ru uk hi bn ar ur el he th en-gb en-au en-nz en-ie en-in'.split(' '),
);
const MONTH_FIRST: ReadonlySet<string> = new Set(['en-us']);

/** @param setting of the vault, as Moment.js names it */
export function writtenIn(text: string, setting?: string): WrittenIn {
  const language = languageIn(text.slice(0, SAMPLE)) ?? setting?.replace(/-.*/, '');
  // A setting such as `en-gb` says more than the words.
  const whole = setting?.startsWith(`${language}-`) === true ? setting : (language ?? '');
  const usual = DAY_FIRST.has(whole) ? 'day first' : MONTH_FIRST.has(whole) ? 'month first' : undefined;
  return { language, order: orderIn(text) ?? usual };
}

function languageIn(text: string): string | undefined {
  const letters = text.match(LETTERS)?.length ?? 0;
  const [, code] =
    SCRIPTS.find(([script]) => (text.match(script)?.length ?? 0) > Math.max(0, letters * MIN_SHARE)) ?? [];
  const words = code === undefined ? languageOf(text.split(/[^\p{L}\p{M}]+/u)) : undefined;
  const [own, other] = OWN_LETTERS[code ?? ''] ?? [];
  const isOther = own !== undefined && (text.match(own)?.length ?? 0) > letters * MIN_OWN_SHARE;
  return (isOther ? other : code) ?? (words && CODES[words.name]);
}

const IN_DIGITS = /(?<![\p{L}\p{N}./-])(\d{1,2})([-/])(\d{1,2})\2(?:1\d|20)\d\d(?!\d)/gu;
const MONTHS = 12;

/** The order of the dates that can be read in one way only; undefined if they differ. */
function orderIn(text: string): WrittenIn['order'] {
  const orders = new Set<WrittenIn['order']>();
  for (const [, first, , second] of text.matchAll(IN_DIGITS)) {
    if (Number(first) > MONTHS) orders.add('day first');
    else if (Number(second) > MONTHS) orders.add('month first');
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}
