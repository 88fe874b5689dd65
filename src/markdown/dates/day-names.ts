// Compares the names of daily, weekly and monthly notes with one format in all languages of Moment.js.
import { foldName } from '../links/fold.ts';
import { formatMoment, momentTokens } from './moment-format.ts';
import type { Language } from './moment-language.ts';
import { type MonthNames, monthNames } from './month-names.ts';

/** The digits that give a part of the date; the other letters of a format follow from it, or are names. */
const DIGITS: Readonly<
  Record<string, { readonly part: 'year' | 'month' | 'day' | 'dayOfYear'; readonly form: string }>
> = {
  YYYY: { part: 'year', form: String.raw`(\d{4})` },
  MM: { part: 'month', form: String.raw`(\d{2})` },
  M: { part: 'month', form: String.raw`(\d{1,2})` },
  DD: { part: 'day', form: String.raw`(\d{2})` },
  D: { part: 'day', form: String.raw`(\d{1,2})` },
  DDDD: { part: 'dayOfYear', form: String.raw`(\d{3})` },
  DDD: { part: 'dayOfYear', form: String.raw`(\d{1,3})` },
};
const MONTH_NAMES: ReadonlySet<string> = new Set(['MMMM', 'MMM']);
const OWN_WEEK: ReadonlySet<string> = new Set(['gggg', 'ww', 'w']);
/** The name of a month or a day. */
const ANY = '.{1,40}?';
const MAX_NAMES = 4;
const NEVER = /(?!)/;
const VERBATIM = /^\[(.*)\]$/s;
const LETTER = /^[A-Za-z]+$/;

export class DayNames {
  readonly #format: string;
  readonly languages: readonly Language[];
  readonly #digits = new Map<string, string>();
  readonly #form: RegExp;
  /** What each group of the form holds. */
  readonly #parts: string[] = [];
  readonly #hasWeek: boolean;
  readonly #months: MonthNames;

  constructor(format: string, languages: readonly Language[]) {
    this.#format = format;
    this.#hasWeek = momentTokens(format).some((token) => OWN_WEEK.has(token));
    this.languages = languages;
    for (const { digits = '' } of languages)
      for (const [at, digit] of [...digits].entries()) this.#digits.set(digit, String(at));
    const forms = momentTokens(format).map((token) => this.#formOf(token));
    // A name is compared with the form step by step, so its parts without digits are few.
    const isReadable = forms.filter((form) => form.includes(ANY)).length <= MAX_NAMES;
    this.#form = isReadable ? new RegExp(`^${forms.join('')}$`, 's') : NEVER;
    this.#months = monthsIn(languages);
  }

  /** For comparison: people leave out the dots of abbreviations, or begin with a capital. */
  fold(name: string): string {
    return folded(name);
  }

  /**
   * The names of a date, folded, in the preferred language first. The number of a week is not the same in all languages, so a format with
   * one is compared only in those that count weeks alike.
   */
  inEachLanguage(dateIn: (language: Language) => Date, preferred: Language): ReadonlySet<string> {
    const alike = this.languages.filter(({ week }) => !this.#hasWeek || week.join() === preferred.week.join());
    return new Set([preferred, ...alike].map((language) => this.#nameOf(dateIn(language), language)));
  }

  /** The languages in which a note with this folded name was named; none if its date does not follow from it. */
  languagesOf(name: string): readonly Language[] {
    const dates = this.datesIn(name);
    return dates.length === 0
      ? []
      : this.languages.filter((language) => dates.some((date) => this.#nameOf(date, language) === name));
  }

  #nameOf(date: Date, language: Language): string {
    const formatted = formatMoment(date, this.#format, language);
    return 'text' in formatted ? this.fold(formatted.text) : '';
  }

  #formOf(token: string): string {
    const { part, form } = (Object.hasOwn(DIGITS, token) ? DIGITS[token] : undefined) ?? {};
    if (part !== undefined && form !== undefined) {
      this.#parts.push(part);
      return form;
    }
    if (token === 'Do') {
      this.#parts.push('day');
      const affixes = this.languages.flatMap(({ ordinal }) =>
        ordinal.map((each) => each.replace(/^\d+:/, '').split('%d')),
      );
      const [before, after] = [0, 1].map((at) => [...new Set(affixes.map((each) => literal(folded(each[at] ?? ''))))]);
      return `(?:${longestFirst(before)})(\\d{1,2})(?:${longestFirst(after)})`;
    }
    if (MONTH_NAMES.has(token)) {
      this.#parts.push('monthName');
      return `(${ANY})`;
    }
    const verbatim = VERBATIM.exec(token)?.[1];
    if (verbatim === undefined && LETTER.test(token)) return ANY;
    return literal(this.fold(verbatim ?? token));
  }

  /** The dates that the digits and the month of a folded name can mean. */
  datesIn(name: string): readonly Date[] {
    const match = this.#form.exec(name.replace(/[^\0-\x7f]/gu, (sign) => this.#digits.get(sign) ?? sign));
    if (match === null) return [];
    const parts = Object.fromEntries(this.#parts.map((part, at) => [part, match[at + 1] ?? '']));
    const { year, month, day, dayOfYear, monthName } = parts;
    if (year === undefined) return [];
    if (dayOfYear !== undefined) return [new Date(Number(year), 0, Number(dayOfYear))];
    const months =
      month === undefined
        ? [...new Set(this.#months.get(monthName ?? '')?.map((one) => one.month))]
        : [Number(month) - 1];
    return months.map((each) => new Date(Number(year), each, Number(day ?? 1)));
  }
}

/** The text as a pattern; some languages have a comma of their own. */
const literal = (text: string): string => text.replace(/[\\^$*+?()[\]{}|/-]/g, '\\$&').replaceAll(',', '[,،]');

const longestFirst = (patterns: readonly string[] = []): string =>
  patterns.toSorted((one, other) => other.length - one.length).join('|');

const folded = (name: string): string => foldName(name).replaceAll('.', '');

const months = new WeakMap<readonly Language[], MonthNames>();

/** Read once for all formats. */
function monthsIn(languages: readonly Language[]): MonthNames {
  const names = months.get(languages) ?? monthNames(languages, folded);
  months.set(languages, names);
  return names;
}
