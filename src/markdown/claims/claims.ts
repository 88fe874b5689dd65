// Splits a note into the statements that may contradict those of another: their words, numbers, dates, negation and state.
import type { Language } from '../dates/moment-language.ts';
import type { PlainDate } from '../dates/written/plain-date.ts';
import { type WrittenDate, writtenDates } from '../dates/written/written-dates.ts';
import { foldText } from '../excerpt/fold-text.ts';
import { endsSentence, STOPS, WIDE_STOPS } from '../excerpt/sentence.ts';
import { isSourceHeading } from '../excerpt/source-headings.ts';
import { isStopWord } from '../excerpt/stop-words.ts';
import { formsOf, termOf } from '../excerpt/terms.ts';
import { textAfterProperties } from '../properties/front-matter.ts';
import { isDateOfNote } from '../timeline/note-dates.ts';
import { type Amount, numbersIn } from './numbers.ts';
import { isAuxiliary, type StateWord, stateWordIn } from './states.ts';
import { withoutCase } from './word-endings.ts';

export interface Claim {
  readonly line: number;
  readonly heading?: string;
  readonly text: string;
  /** Its content words, without numbers and negation. */
  readonly terms: readonly string[];
  /** Those of the title that it has, too: what it is about. */
  readonly subject: readonly string[];
  /** Those of the heading and of the title. */
  readonly context: readonly string[];
  /** By the word after each number. */
  readonly numbers: ReadonlyMap<string, readonly (readonly Amount[])[]>;
  /** Numbers that name the subject, such as the 3 of "Chapter 3". */
  readonly labels: string;
  /** Without that of an entry of a log, which is when it was written. */
  readonly dates: readonly PlainDate[];
  /** What its note and its heading are called. */
  readonly title: NumberedName;
  readonly below: NumberedName;
  /** The code in its line, which it may be about. */
  readonly code: readonly string[];
  readonly isNegated: boolean;
  /** Whether it says what was changed, as a line of a changelog, or when a meeting is. */
  readonly isChange: boolean;
  readonly isAppointment: boolean;
  /** The title of its note, if it begins with that, and the content words of it. */
  readonly lead?: { readonly title: string; readonly terms: readonly string[] };
  readonly state?: ClaimedState;
}

/** Whether a task is done, the value of a status, or what a word such as `cancelled` says. */
interface ClaimedState {
  readonly of: 'task' | 'status' | StateWord['of'];
  readonly value: string;
  /** The content words beside the one that says it. */
  readonly others?: readonly string[];
}

/** The content words of a name, and apart from them its numbers: names of a series differ in these only. */
export interface NumberedName {
  readonly words: string;
  /** Empty where the name has a year: what is said at two times may differ. */
  readonly numbers: string;
}

const MAX_CLAIM = 400;
const MIN_CLAIM = 6;
const MAX_CLAIMS = 400;
const FENCE = /^[\s>]*(`{3,}|~{3,}|\$\$)(?!.*\1)/;
/** Lines of programs outside a fence. */
const CODE = /[;{}]\s*$|^(?: {4}|\t)\S/;
/** Who says what is quoted above. */
const ATTRIBUTION = /^(?:--|[—–―])\s{0,3}\p{L}/u;
const ENDS_CODE = /[;{}]$/;
const PROPERTY = /^([\p{L}_][\p{L}_ -]{0,40})(?:::?|：)\s*\S/u;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const TASK = /^\s*(?:[-*+]|\d+[.)])\s+\[(.)\]\s+/u;
const MARKS = /^(?:\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[.\](?=\s)|\|))+\s*/u;
const STATUS =
  /^(?:\*\*)?(status|state|stand|zustand|estado|statut|état|stato|статус|состояние|状态|狀態|ステータス|상태|الحالة|स्थिति|অবস্থা|حالت)(?:\*\*)?\s*(?:::?|：)(?:\*\*)?\s*(\S.{0,60})$/iu;

/** @param languages for the names of months */
export function claimsIn(title: string, text: string, languages: readonly Language[]): readonly Claim[] {
  const bodyOffset = text.length - textAfterProperties(text).length;
  const titleTerms = contentTerms(title.slice(0, MAX_CLAIM));
  const folded = foldText(title.slice(0, MAX_CLAIM)).trim();
  const titleNumbers = new Set(title.slice(0, MAX_CLAIM).match(/\d+/g)?.map(Number));
  const claims: Claim[] = [];
  const named = numberedName(title);
  let heading: string | undefined;
  let below = numberedName('');
  let isChange = CHANGES.test(title);
  let isOfSources = false;
  let context: readonly string[] = titleTerms;
  let fence: string | undefined;
  let offset = 0;
  for (const [at, line] of text.split('\n').entries()) {
    const isProperty = offset < bodyOffset;
    offset += line.length + 1;
    if (claims.length >= MAX_CLAIMS) break;
    const [, mark] = isProperty ? [] : (FENCE.exec(line) ?? []);
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined || CODE.test(line)) continue;
    const [, headingText] = isProperty ? [] : (HEADING.exec(line) ?? []);
    if (headingText !== undefined) {
      heading = withoutHashes(headingText);
      below = numberedName(heading);
      isChange = CHANGES.test(title) || CHANGES.test(heading);
      isOfSources = isSourceHeading(heading) || FOOTNOTES.test(heading);
      context = [...new Set([...titleTerms, ...contentTerms(heading.slice(0, MAX_CLAIM))])];
    } else if (isProperty ? STATUS.test(line.trim()) : !isOfSources) {
      const around = { heading, context, titleTerms, titleNumbers, title: folded, named, below, isChange };
      claims.push(...claimsOfLine(line, at + 1, around, languages));
    }
  }
  return claims;
}

function withoutHashes(heading: string): string {
  let end = heading.length;
  while (end > 0 && ' \t#'.includes(heading.charAt(end - 1))) end -= 1;
  return heading.slice(0, end);
}

/** What it says is what another text is called, and when it was printed. */
const FOOTNOTES =
  /^(?:foot ?notes|fußnoten|주석|각주|注释|註釋|脚注|注釈|notes de bas de page|notas al pie|notas de rodapé|сноски)$/iu;
const CHANGES =
  /^(?:changelog|change log|release notes|what['’]s (?:new|changed)|bug ?fix(?:es)?|fix(?:es|ed)?|änderungen|cambios|mudanças|changements|изменения|更新日志|変更履歴|변경 ?사항)(?![\p{L}\p{N}])/iu;
const YEAR = /(?<!\p{N})(?:19|20)\d\d(?!\p{N})/u;
const NUMBERS = /\p{N}+|(?<!\p{L})[IVX]{1,5}(?!\p{L})/gu;

function numberedName(heading: string): NumberedName {
  const name = heading.slice(0, MAX_CLAIM).normalize('NFKC');
  return {
    words: [...contentTerms(name.replace(NUMBERS, ' '))].sort().join(' '),
    numbers: YEAR.test(name) ? '' : (name.match(NUMBERS) ?? []).join(' '),
  };
}

interface Around {
  readonly heading: string | undefined;
  readonly context: readonly string[];
  readonly titleTerms: readonly string[];
  readonly titleNumbers: ReadonlySet<number>;
  /** Folded. */
  readonly title: string;
  readonly named: NumberedName;
  readonly below: NumberedName;
  readonly isChange: boolean;
}

function claimsOfLine(
  written: string,
  line: number,
  { heading, context, titleTerms, titleNumbers, title, named, below, isChange }: Around,
  languages: readonly Language[],
): Claim[] {
  const [, mark] = TASK.exec(written) ?? [];
  // A tag marks a task, and does not say what it is about.
  const unmarked = written.replace(MARKS, '').replace(mark === undefined ? /$^/ : TAG, ' ');
  const shown = plain(unmarked.trim().replace(/\|$/, ''));
  if (ENDS_CODE.test(shown) || ATTRIBUTION.test(shown)) return [];
  const [, , status] = STATUS.exec(shown) ?? [];
  const [, property = ''] = PROPERTY.exec(shown) ?? [];
  const isOfNote = isDateOfNote(property);
  const code = [...(written.match(INLINE_CODE) ?? []), ...(written.match(MATH) ?? [])];
  return sentencesIn(shown)
    .filter(({ length }) => length >= MIN_CLAIM && length <= MAX_CLAIM)
    .slice(0, MAX_CLAIMS)
    .map((text) => {
      const { said, ...parts } = partsOf(text, languages);
      const subject = titleTerms.filter((term) => parts.terms.includes(term));
      const place = { line, ...(heading !== undefined && { heading }) };
      const numbers = withoutNames(parts.numbers, titleNumbers);
      const more = { ...(isChange && { isChange }), ...(isOfNote && { dates: [] }), title: named, below };
      const lead = title.length > 2 && foldText(text).startsWith(title) && { lead: { title, terms: titleTerms } };
      return {
        ...place,
        text,
        subject,
        context,
        code,
        ...parts,
        ...said,
        ...more,
        numbers,
        ...lead,
        ...stateOf(mark, status),
      };
    });
}

/** A number of the title names the note, as in RFC 1925. */
function withoutNames(numbers: Claim['numbers'], names: ReadonlySet<number>): Claim['numbers'] {
  if (names.size === 0) return numbers;
  const isName = (amounts: readonly Amount[]): boolean =>
    amounts.some(([least, most]) => least === most && names.has(least));
  const others = [...numbers].map(([unit, all]) => [unit, all.filter((amounts) => !isName(amounts))] as const);
  return new Map(others.filter(([, all]) => all.length > 0));
}

function stateOf(mark: string | undefined, status: string | undefined): Pick<Claim, 'state'> {
  if (mark !== undefined) return { state: { of: 'task', value: mark === ' ' ? 'open' : 'done' } };
  return status === undefined ? {} : { state: { of: 'status', value: foldText(status.replace(/["'.]/g, '')).trim() } };
}

const TAG = /(?<=^|\s)#[\p{L}\p{N}_/-]{1,100}/gu;
/** Math as Pandoc reads it: prices such as `$5 or $6` are none. */
const MATH = /\$\$[^$]{1,400}\$\$|\$(?=[^\s$])[^$]{0,200}(?<=[^\s$])\$(?!\d)/g;
/** Folders and a file. */
const FILE = /(?<![^\s(])(?=[\d./-]{0,100}[A-Za-z_])\/?(?:[\w.-]{1,60}\/){2,12}[\w.-]{1,60}/g;
const INLINE_CODE = /`[^`]{0,400}`/g;

/** Without addresses, code, ids of blocks, times in milliseconds, footnotes and marks of links. What is longer stays: the lengths keep the time linear. */
function plain(text: string): string {
  return text
    .replace(INLINE_CODE, '‹›')
    .replace(MATH, '‹›')
    .replace(/!?\[\[(?:[^\]|[]{0,400}\|)?([^\][]{0,400})\]\]/g, '$1')
    .replace(/!?\[([^\][]{0,400})\]\([^()]{0,400}\)/g, '$1')
    .replace(FILE, ' ')
    .replace(
      /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b|\b\d{10,400}\b|\b[a-z][a-z\d+.-]{1,20}:\/\/\S+|\[\^[^\][]{0,100}\]|\s\^[\w-]{1,100}$|<[^<>]{0,400}>|[*_~=]{2,}|(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/giu,
      ' ',
    )
    .replace(/[^\S\u00a0\u202f]+/g, ' ')
    .trim();
}

const ENDS = new RegExp(`[${STOPS}${WIDE_STOPS}].`, 'u');

function sentencesIn(text: string): string[] {
  if (!ENDS.test(text)) return [text];
  const sentences: string[] = [];
  let from = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (!endsSentence(text, at) || isAbbreviated(text, at)) continue;
    sentences.push(text.slice(from, at).trim());
    from = at;
  }
  return [...sentences, text.slice(from).trim()];
}

const TITLE = /(?:^|[^\p{L}])(?:dr|mrs?|ms|prof|vs|e\.g|i\.e|z\.b|bzw|ca|approx)\.\s*$/iu;
const BEFORE_NUMBER =
  /(?:^|[^\p{L}])(?:jan|feb|mär|mar|apr|jun|jul|aug|sept?|okt|oct|nov|dec|dez|janv|févr|avr|juil|déc|ene|abr|ago|dic|vol|no|nr|fig|pp?|ch|bd)\.\s*$/iu;
/** `am 3. März`. */
const ORDINAL = /(?<!\p{Nd})\p{Nd}{1,2}\.\s*$/u;
const MAX_ABBREVIATION = 12;

/** Whether the stop before `at` is that of a short form: what follows belongs to the same statement. */
function isAbbreviated(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_ABBREVIATION), at);
  return (
    TITLE.test(before) ||
    ORDINAL.test(before) ||
    (BEFORE_NUMBER.test(before) && /^\s*\p{Nd}/u.test(text.slice(at, at + 3))) ||
    /^\s*\d{1,2}(?:st|nd|rd|th)(?!\p{L})/u.test(text.slice(at, at + 8))
  );
}

const CHANGE = /^(?:fix|feat(?:ure)?|enhance|chore|docs|refactor|perf|test|build|ci|style)(?:\([^()]{0,40}\))?!?: /i;
const CLOCK = /(?<!\d)\d{1,2}[:.h]\d{2}(?!\d)/;
let weekdays: ReadonlySet<string> | undefined;

function weekdayNames(): ReadonlySet<string> {
  const languages = ['en', 'de', 'es', 'pt', 'fr', 'it', 'ru', 'pl', 'nl', 'tr', 'id', 'hi', 'ar'];
  const formats = languages.flatMap((code) =>
    (['long', 'short'] as const).map((weekday) => new Intl.DateTimeFormat(code, { weekday, timeZone: 'UTC' })),
  );
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2024, 0, day + 1)));
  return new Set(formats.flatMap((each) => days.map((day) => foldText(each.format(day)).replace('.', ''))));
}

/** A meeting that is held again and again has another date each time. */
function isAppointment(text: string): boolean {
  if (!CLOCK.test(text)) return false;
  weekdays ??= weekdayNames();
  return (foldText(text).match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => weekdays?.has(word));
}

const NO_LANGUAGE = { language: undefined, order: undefined } as const;

function partsOf(text: string, languages: readonly Language[]) {
  const dates = writtenDates(text, languages, NO_LANGUAGE);
  const rest = without(text, dates);
  const isNegated = negationsIn(text) % 2 === 1;
  const said = isNegated || CHANGE.test(text) ? undefined : saidState(rest);
  return {
    ...(said && { said: { state: said } }),
    ...numbersIn(rest),
    terms: contentTerms(rest),
    dates: dates.filter((date) => !isOfEntry(text, date)).map(({ date }) => date),
    isNegated,
    isChange: CHANGE.test(text),
    isAppointment: dates.length > 0 && isAppointment(text),
  };
}

function saidState(text: string): ClaimedState | undefined {
  const stateWord = stateWordIn(text, wordsOf(text));
  if (stateWord === undefined) return undefined;
  const { of, value, word } = stateWord;
  return { of, value, others: contentTerms(text.replaceAll(word, ' '), (form) => form === word || isAuxiliary(form)) };
}

const wordsOf = (text: string): readonly string[] => foldText(text).match(/[\p{L}\p{M}]+/gu) ?? [];

/** Whether the date opens a line in a log, such as `2026-04-03 - a book`. */
const isOfEntry = (text: string, { from, to }: WrittenDate): boolean =>
  !/[\p{L}\p{N}]/u.test(text.slice(0, from)) && /^\s*[-–—:|·]/u.test(text.slice(to));

function without(text: string, dates: readonly WrittenDate[]): string {
  let rest = '';
  let last = 0;
  for (const { from, to } of dates) {
    rest += `${text.slice(last, from)} | `;
    last = to;
  }
  return rest + text.slice(last);
}

/** @param except whether a word, folded, is left out */
export function contentTerms(text: string, except = (_form: string) => false): readonly string[] {
  const terms = new Set<string>();
  for (const form of formsOf(withoutNegation(text)).keys())
    if (!except(form) && !isStopWord(form) && !isNegationWord(form) && !/\p{Nd}/u.test(form))
      terms.add(withoutCase(termOf(form)));
  return [...terms];
}

/** English, German, Spanish, Portuguese, French, Russian, Indonesian, Hindi, Bengali, Arabic and Urdu. */
const WORDS = new Set(
  [
    'not no never none cannot without neither nor hardly',
    'nicht kein keine keinen keiner keines keinem nie niemals ohne',
    'nunca jamas sin ningun ninguna tampoco',
    'nao jamais sem nenhum nenhuma tampouco',
    'pas sans aucun aucune',
    'не нет никогда без нельзя',
    'tidak bukan belum tanpa',
    'नहीं न मत बिना',
    'না নয় নেই নি ছাড়া',
    'لا ليس ليست لم لن بدون غير',
    'نہیں نہ بغیر مت',
  ]
    .join(' ')
    .split(' ')
    .map(foldText),
);
const CONTRACTED = /\p{L}n['’]t(?!\p{L})/giu;
/** In scripts without spaces. */
const JOINED =
  /[并並尚还還]?[没沒]有(?![常过過同论論])|[不没沒未无無非](?![常过過同论論])|ない(?!し)|ません|なかった|않|없|아니/gu;

const isNegationWord = (form: string): boolean => WORDS.has(form);

/** In scripts without spaces, the text as it would be without its negation. */
const withoutNegation = (text: string): string => text.replace(JOINED, '').replace(ALREADY, '');
/** The opposite of `没有`, which says no more than the verb alone. */
const ALREADY = /已[经經]?(?=\p{sc=Han})/gu;

/** These deny nothing. */
const NOT_ONLY =
  /(?<!\p{L})(?:not (?:just|only|merely)|nicht (?:nur|bloß|allein)|no s[oó]lo|não (?:só|apenas)|pas (?:seulement|que)|non solo|не только|tidak hanya)(?!\p{L})|不仅|不只|不但/giu;

function negationsIn(written: string): number {
  const text = written.replace(NOT_ONLY, ' ');
  return (
    wordsOf(text).filter(isNegationWord).length +
    (text.match(CONTRACTED)?.length ?? 0) +
    (text.match(JOINED)?.length ?? 0)
  );
}
