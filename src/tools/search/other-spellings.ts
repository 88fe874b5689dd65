// Knows other ways to write a word of a query: `e-mail` and `email`, `16 GB` and `16GB`, `v2.1` and `2.1`, `Müller` and `Mueller`.
import type { TextTerm } from '../../contracts/text-query.ts';

/** Letters that are also written as two. */
const IN_TWO: ReadonlyMap<string, string> = new Map(Object.entries({ ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }));
const LETTERS = new RegExp(`[${[...IN_TWO.keys()].join('')}]`, 'gu');

const NUMBER = /^\p{N}+(?:[.,]\p{N}+)*$/u;
const LETTERS_ONLY = /^\p{L}[\p{L}\p{M}]*$/u;
/** `16GB`, `120km/h`, `RFC2616`, `python3.12`. */
const NUMBER_AND_LETTERS = /^(?:(\p{N}+(?:[.,]\p{N}+)*)(\p{L}+(?:\/\p{L}+)?)|(\p{L}{2,})(\p{N}+(?:[.,]\p{N}+)*))$/u;
const HYPHENED = /^(\p{L}+)-(\p{N}+)$/u;
const VERSION = /^(v?)(\d+(?:\.\d+)+(?:[-+.]\w+)*)$/i;
const GROUPED = /^\d{1,3}(?:[.,]\d{3})+$/;
const UNGROUPED = /^(?!(?:19|20)\d\d$)\d{4,9}$/;
/** `U.S.A.`, without the last full stop. */
const INITIALS = /^(?:\p{L}\.){1,7}\p{L}$/u;
/** `Node.js`. */
const DOTTED = /^\p{L}{2,}\.\p{L}{2,}$/u;
/** Words of Katakana are written with and without the last long mark. */
const LONG_AT_END = /^(\p{scx=Katakana}{2,})ー$/u;
/** `getUserById`, `HTTPServer`. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const CAMEL_CASE = /^\p{L}[\p{L}\p{N}]*$/u;
const SNAKE_CASE = /^[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+$/u;
/** A telephone number. */
const NUMBERS = /^(?=(?:\P{N}*\p{N}){7})\p{N}{2,}(?:[-/.]\p{N}{2,})+$/u;
const MIN_NUMBER = 7;
const MAX_LENGTH = 40;
/** A longer run of Japanese is looked up by its words. */
const MAX_KANA_RUN = 8;
/** A single letter between others is a particle. */
const KATAKANA = /[\u30A1-\u30F6\u30FC]{2,}/gu;
const HIRAGANA = /[\u3041-\u3096\u30FC]{2,}/gu;
const LONG_MARK = '\u30FC';
const BETWEEN_KANA = 0x60;

/** What else a word is written as, whatever words the vault has. @param text as written, without punctuation around it */
export function otherSpellings(text: string): readonly string[] {
  if (text.length > MAX_LENGTH) return [];
  const normalized = text.normalize('NFKC').toLowerCase();
  const [, number, unit, name, numbered] = NUMBER_AND_LETTERS.exec(normalized) ?? [];
  const [, v, version] = VERSION.exec(normalized) ?? [];
  const [, short] = LONG_AT_END.exec(normalized) ?? [];
  return [
    ...(number === undefined && name === undefined ? [] : [`${number ?? name} ${unit ?? numbered}`]),
    ...(HYPHENED.test(normalized) ? [normalized.replace('-', '')] : []),
    ...(SNAKE_CASE.test(normalized) ? [normalized.replaceAll('_', '')] : []),
    ...(CAMEL_CASE.test(text) && text.search(HUMPS) !== -1 ? [text.replace(HUMPS, ' ').toLowerCase()] : []),
    ...(NUMBERS.test(normalized) ? [normalized.replace(/\P{N}/gu, '')] : []),
    ...withoutOkurigana(normalized),
    ...(version === undefined ? [] : [v === '' ? `v${version}` : version]),
    ...(GROUPED.test(normalized) ? [normalized.replace(/[.,]/g, '')] : []),
    ...(UNGROUPED.test(normalized) ? [normalized.replace(/\d(?=(?:\d{3})+$)/g, '$& ')] : []),
    ...(INITIALS.test(normalized) ? [normalized.replaceAll('.', '')] : []),
    ...(DOTTED.test(normalized) ? [normalized.replace('.', '')] : []),
    ...(short === undefined ? [] : [short]),
    ...(normalized.length <= MAX_KANA_RUN ? inOtherKana(normalized) : []),
    ...(LETTERS.test(normalized) ? [normalized.replace(LETTERS, (letter) => IN_TWO.get(letter) ?? letter)] : []),
  ];
}

/** `らーめん` of `ラーメン`, `玉ネギ` of `玉ねぎ`. */
export function inOtherKana(text: string): readonly string[] {
  const moved = (by: number) => (run: string) =>
    Array.from(run, (kana) => (kana === LONG_MARK ? kana : String.fromCharCode(kana.charCodeAt(0) + by))).join('');
  const both = [text.replace(KATAKANA, moved(-BETWEEN_KANA)), text.replace(HIRAGANA, moved(BETWEEN_KANA))];
  return both.filter((other) => other !== text);
}

/** Kana between and after the characters of a word, which Japanese may leave out: 申し込み, 引越し. */
const OKURIGANA =
  /^(?=.*\p{sc=Hira})\p{sc=Han}(?:[っいきぎしちりみびけげせてえれわ]{0,2}\p{sc=Han})+[いきぎしちりみびけげせてえれわも]{0,2}$/u;
const WITHOUT = /^(\p{sc=Han})(\p{sc=Han})[いきしちりみせけ]?$/u;

function withoutOkurigana(text: string): string[] {
  return OKURIGANA.test(text) ? [text.replace(/\p{sc=Hira}/gu, '')] : [];
}

/** `申し込` and others of `申込`. */
export function withOkurigana(text: string): string[] {
  const [, first = '', second] = WITHOUT.exec(text) ?? [];
  return second === undefined ? [] : Array.from('しちりいきみけっえ', (kana) => first + kana + second);
}

export const inOtherOkurigana = (text: string): string[] => [...withoutOkurigana(text), ...withOkurigana(text)];

/** A number and a word next to each other are also one word: `16 GB`, `iPhone 15`. */
export function asOneWord(one: TextTerm | undefined, next: TextTerm | undefined): string | undefined {
  if (one?.kind !== 'word' || next?.kind !== 'word' || one.negated || next.negated) return undefined;
  const isMixed =
    (NUMBER.test(one.text) && LETTERS_ONLY.test(next.text)) || (LETTERS_ONLY.test(one.text) && NUMBER.test(next.text));
  return isMixed && one.text.length + next.text.length <= MAX_LENGTH ? one.text + next.text : undefined;
}

/** The plain letters of which the two letters of a word can be another spelling: `mueller` of `muller`. @param word folded */
export function withSingleLetters(word: string): readonly string[] {
  const single = word.replace(/[aou]e|aa/g, (two) => two.charAt(0));
  return single === word ? [] : [single];
}

/** One more than a number of MAX_LENGTH has, each of two digits or more: a longer query is not read again for each of its words. */
const MAX_GROUPS = MAX_LENGTH / 2 + 1;

/** The digits of a number that is written in groups with blanks, `0170 1234567`; undefined for a term that does not begin one. */
export function asOneNumber(terms: readonly TextTerm[], at: number): string | undefined {
  const isGroup = (term: TextTerm | undefined): boolean =>
    term?.kind === 'word' && !term.negated && /^\p{N}{2,}$/u.test(term.text);
  const [first, ...rest] = terms.slice(at, at + MAX_GROUPS);
  const isFirst = first?.kind === 'word' && !first.negated && /^\+?\p{L}{0,2}\p{N}{2,}$/u.test(first.text);
  if (!isFirst || isGroup(terms[at - 1])) return undefined;
  const end = rest.findIndex((term) => !isGroup(term));
  const groups = [first, ...rest.slice(0, end === -1 ? rest.length : end)].map(({ text }) => text.replace('+', ''));
  const number = groups.join('');
  return groups.length > 1 && number.length >= MIN_NUMBER && number.length <= MAX_LENGTH ? number : undefined;
}
