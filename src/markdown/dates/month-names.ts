// Knows the names of months in the languages of Moment.js, and finds them in the words of a text.
import { foldText } from '../excerpt/fold-text.ts';
import type { Language } from './moment-language.ts';

interface MonthName {
  /** From 0. */
  readonly month: number;
  readonly language: string;
  /** Not an abbreviation. */
  readonly isWhole: boolean;
}

/** By the name, as `fold` writes it. */
export type MonthNames = ReadonlyMap<string, readonly MonthName[]>;

export function monthNames(languages: readonly Language[], fold: (name: string) => string): MonthNames {
  const byWord = new Map<string, MonthName[]>();
  for (const { code, months, monthsAlone, monthsBeforeDay, monthsShort, monthsShortAlone } of languages) {
    const lists = [months, monthsAlone, monthsBeforeDay, monthsShort, monthsShortAlone];
    for (const [list, names] of lists.entries()) {
      for (const [month, name] of (names ?? []).entries()) {
        const key = fold(name);
        const sameWord = byWord.get(key) ?? [];
        byWord.set(key, sameWord);
        sameWord.push({ month, language: code.replace(/-.*/, ''), isWhole: list < 3 });
      }
    }
  }
  return byWord;
}

export interface FoundMonth {
  /** From 1. */
  readonly month: number;
  /** How many words the name has. */
  readonly words: number;
  /** Whether it is a month also without a year, and without a day as well. Abbreviations, and names in another language, can be other words. */
  readonly certain: 'alone' | 'with a day' | 'with a year';
  /** Whether it is a month right before a year also in a text whose language is not known: `März 2025`. */
  readonly isWhole: boolean;
}

/** Their names of months are read without regard to the language of the text. */
const LARGEST = new Set(['en', 'zh', 'es', 'hi', 'ar', 'pt', 'bn', 'ru', 'ja', 'de', 'fr', 'ko']);
/** Those, and others whose names of months are hardly other words. */
const BEFORE_YEARS = new Set([...LARGEST, 'it', 'tr', 'nl', 'id']);
const MIN_LETTERS = 5;
/** They are months after one of these words. */
const OTHER_WORDS = new Set(['may', 'march', 'mars', 'marco', 'avril', 'julio', 'مارس']);
const BEFORE_MONTH = new Set(
  [
    'in of last this next since until during by early late mid from every',
    'en de du au des fin debut mi mois em do del desde hasta im ab seit bis ende anfang mitte في شهر',
  ].flatMap((line) => line.split(' ')),
);
const LATIN = /^\p{sc=Latin}/u;
const MAX_NAME_WORDS = 3;
/** Talossan calls July `Julia`. */
const CONSTRUCTED = new Set(['tlh', 'tzl', 'x-pseudo']);
/** `באוקטובר`, `بأكتوبر`: in October. */
const CLITIC = /^[בלמהوبلفك](?=\p{L}{3})/u;

const MAX_OTHERS = 20_000;
/** Longer parts of a text keep the whole of it in memory. */
const MAX_LENGTH = 12;

/** Finds names of months in folded words. */
export class MonthReader {
  readonly #names: MonthNames;
  /** The first word of each. */
  readonly #starts: ReadonlySet<string>;
  /** Words that begin no month, which texts repeat. */
  readonly #others = new Set<string>();
  /** By their first letter, which no ending changes. */
  readonly #inflected: ReadonlyMap<string, readonly (readonly [name: string, found: MonthName])[]>;
  readonly digits: ReadonlyMap<string, string>;

  constructor(languages: readonly Language[]) {
    const spoken = languages.filter(({ code }) => !CONSTRUCTED.has(code));
    this.#names = monthNames(spoken, (name) => foldText(name).replaceAll('.', ''));
    this.#starts = new Set([...this.#names.keys()].map((name) => name.replace(/ .*/s, '')));
    const inflected = [...this.#names].flatMap(([name, month]) => {
      const one = month.find(({ language, isWhole }) => isWhole && INFLECTING.has(language));
      return one === undefined ? [] : [[name, one] as const];
    });
    this.#inflected = Map.groupBy(inflected, ([name]) => name.charAt(0));
    this.digits = new Map(languages.flatMap(({ digits = '' }) => [...digits].map((sign, at) => [sign, String(at)])));
  }

  /** @param language of the text */
  at(words: readonly string[], at: number, language: string): FoundMonth | undefined {
    const word = words[at] as string;
    if (this.#others.has(word)) return undefined;
    const month = this.#monthAt(words, at, language);
    if (month === undefined && !this.#starts.has(word)) this.#remember(word);
    return month;
  }

  #remember(word: string): void {
    if (this.#others.size >= MAX_OTHERS) this.#others.clear();
    if (word.length <= MAX_LENGTH) this.#others.add(word);
  }

  #monthAt(words: readonly string[], at: number, language: string): FoundMonth | undefined {
    for (let count = Math.min(MAX_NAME_WORDS, words.length - at); count > 0; count--) {
      const name = words.slice(at, at + count).join(' ');
      const names = this.#names.get(name);
      if (names !== undefined) return monthNamed(names, name, count, language, words[at - 1]);
    }
    const word = words[at] as string;
    const bare = OTHER_ENDINGS.get(word) ?? word.replace(CLITIC, '');
    const names = bare === word ? undefined : this.#names.get(bare);
    return names === undefined ? this.#inflectedAt(word) : monthNamed(names, bare, 1, language, words[at - 1]);
  }

  #inflectedAt(word: string): FoundMonth | undefined {
    const [, month] = this.#inflected.get(word.charAt(0))?.find(([name]) => isInflected(word, name)) ?? [];
    if (month === undefined) return undefined;
    return { month: month.month + 1, words: 1, certain: LATIN.test(word) ? 'with a year' : 'alone', isWhole: true };
  }
}

function monthNamed(
  names: readonly MonthName[],
  name: string,
  words: number,
  language: string,
  before: string | undefined,
): FoundMonth | undefined {
  const candidates = names.filter((one) => one.language === language || (one.language === 'en' && one.isWhole));
  const largest = names.filter((one) => LARGEST.has(one.language));
  const [one] = [...candidates.toSorted((a) => (a.language === language ? -1 : 1)), ...largest, ...names];
  const isLong = [...name].length >= MIN_LETTERS || !LATIN.test(name);
  const isCertain = candidates.length > 0 || (isLong && largest.some(({ isWhole }) => isWhole));
  const isAlone = isCertain && [...candidates, ...largest].some(({ isWhole }) => isWhole);
  const isMonth = isAlone && (!OTHER_WORDS.has(name) || BEFORE_MONTH.has(before ?? ''));
  if (one === undefined) return undefined;
  const isWhole = !OTHER_WORDS.has(name) && names.some((one) => one.isWhole && BEFORE_YEARS.has(one.language));
  return {
    month: one.month + 1,
    words,
    certain: isMonth ? 'alone' : isCertain ? 'with a day' : 'with a year',
    isWhole,
  };
}

/** The languages whose names of months have more endings than Moment.js lists. */
const INFLECTING = new Set(['ru', 'uk', 'be', 'bn', 'pl', 'cs', 'fi', 'hu']);
const MIN_LATIN_LETTERS = 7;
const MAX_ENDING = 3;
/** Too short to compare beginnings. */
const OTHER_ENDINGS = new Map([
  ['мае', 'май'],
  ['маем', 'май'],
]);

/** In Latin letters many surnames begin with a short name of a month. */
function isInflected(word: string, name: string): boolean {
  if (name.length < (LATIN.test(name) ? MIN_LATIN_LETTERS : MIN_LETTERS))
    return SOFT_ENDING.test(name) && hasOtherEnding(word, name);
  return (
    (word.startsWith(name) && word.length <= name.length + MAX_ENDING && name.length > MIN_LETTERS) ||
    hasOtherEnding(word, name)
  );
}

/** `июне` and `июнь`. */
const SOFT_ENDING = /ь$/;

/** `июлем` is longer. */
const hasOtherEnding = (word: string, name: string): boolean =>
  word.startsWith(name.slice(0, -1)) &&
  (word.length === name.length || (word.length === name.length + 1 && SOFT_ENDING.test(name)));
