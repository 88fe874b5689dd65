// Frequent words that show the language of a sentence.

/** Any longer text in a language has one of these; few of them are words of another language with the same script. */
const FREQUENT_WORDS: Readonly<Record<string, readonly string[]>> = Object.freeze(
  Object.fromEntries(
    Object.entries({
      English: 'the and with this that which have from what how where when about',
      German: 'der die das und ist nicht wie für mit auf eine einen werden auch über ich',
      French: 'les des est pour dans une comment avec qui que pas sont sur où',
      Spanish: 'el los las del para una como cómo qué con está son más por',
      Portuguese: 'os uma para não como com são mais dos das está você por',
      Italian: 'il gli della che per una come con sono più nel dei perché',
      Dutch: 'het een van niet hoe voor met zijn wordt naar ook waarom',
      Swedish: 'och att det är som för inte hur med på av varför',
      Danish: 'og ikke hvordan det er som med på af til hvorfor hvad',
      Finnish: 'ja ei että miten kuinka mutta ovat mikä miksi',
      Polish: 'nie jak jest się dla przez oraz czy jakie dlaczego',
      Czech: 'jak není pro které jsou nebo který proč jako',
      Hungarian: 'hogyan és nem egy hogy milyen az miért',
      Turkish: 've bir için nasıl ile değil bu neden',
      Romanian: 'și este pentru cum care din sunt ce',
      Indonesian: 'yang dan untuk dengan bagaimana tidak adalah mengapa',
      Vietnamese: 'là và của không như nào cho được tại',
      Russian: 'и в не на как что это для почему из',
      Ukrainian: 'і та не як що це для чому із',
    }).map(([language, words]) => [language, words.split(' ')]),
  ),
);

/** One may be a word of another language. */
const MIN_FREQUENT_WORDS = 2;

/** @returns the language with the most frequent words among these, and all of its words; undefined if no language is clear */
export function languageOf(
  words: readonly string[],
): { readonly name: string; readonly words: readonly string[] } | undefined {
  const textWords = new Set(words.map((word) => word.normalize('NFC').toLowerCase()));
  const [first, second] = Object.entries(FREQUENT_WORDS)
    .map(([name, frequent]) => ({
      name,
      words: frequent,
      found: frequent.filter((word) => textWords.has(word)).length,
    }))
    .sort((one, other) => other.found - one.found);
  if (first === undefined || first.found < MIN_FREQUENT_WORDS || first.found === second?.found) return undefined;
  return { name: first.name, words: first.words };
}

/** The share among the letters of English notes; the others are in names and quotations. */
const SHARE_OF_LATIN = 0.9;

/** Whether sentences of several notes are in English, or in Latin letters and no clear language. */
export function isEnglish(text: string): boolean {
  const latin = text.match(/\p{sc=Latn}/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const language = languageOf(text.split(/[^\p{L}]+/u));
  return latin > letters * SHARE_OF_LATIN && (language === undefined || language.name === 'English');
}

// The scripts of a text, and letters that words of each script often begin with.

const range = (from: string, to: string): readonly string[] => {
  const [first, last] = [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0];
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
};

interface Script {
  readonly name: string;
  readonly letter: RegExp;
  /** Any longer text of the script has a word with one of these at its beginning. */
  readonly initials: readonly string[];
}

const SCRIPTS: readonly Script[] = [
  { name: 'Latin', letter: /\p{sc=Latn}/u, initials: range('a', 'z') },
  { name: 'Cyrillic', letter: /\p{sc=Cyrl}/u, initials: range('а', 'я') },
  { name: 'Greek', letter: /\p{sc=Grek}/u, initials: range('α', 'ω') },
  { name: 'Hebrew', letter: /\p{sc=Hebr}/u, initials: range('א', 'ת') },
  { name: 'Arabic', letter: /\p{sc=Arab}/u, initials: range('ء', 'ي') },
  { name: 'Armenian', letter: /\p{sc=Armn}/u, initials: range('ա', 'ֆ') },
  { name: 'Georgian', letter: /\p{sc=Geor}/u, initials: range('ა', 'ჰ') },
  { name: 'Devanagari', letter: /\p{sc=Deva}/u, initials: range('अ', 'ह') },
  { name: 'Bengali', letter: /\p{sc=Beng}/u, initials: range('অ', 'হ') },
  { name: 'Tamil', letter: /\p{sc=Taml}/u, initials: range('அ', 'ஹ') },
  { name: 'Thai', letter: /\p{sc=Thai}/u, initials: range('ก', 'ฮ') },
  { name: 'Lao', letter: /\p{sc=Laoo}/u, initials: range('ກ', 'ຮ') },
  { name: 'Khmer', letter: /\p{sc=Khmr}/u, initials: range('ក', 'អ') },
  { name: 'Burmese', letter: /\p{sc=Mymr}/u, initials: range('က', 'အ') },
  { name: 'Hiragana', letter: /\p{sc=Hira}/u, initials: range('あ', 'ん') },
  { name: 'Katakana', letter: /\p{sc=Kana}/u, initials: range('ア', 'ン') },
  {
    name: 'Hangul',
    letter: /\p{sc=Hang}/u,
    initials: [
      ...'이그한사전가대있것수나우지시기자저정부일만하오여제주인어내아의상모다무소공신고새안세경관교도동문물방보서선성실양영원위유은음',
    ],
  },
  {
    name: 'Chinese',
    letter: /\p{sc=Han}/u,
    initials: [
      ...'的一是不了在人有我他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就要下以生会會自家学學对對可后後小心多天能好都日事文本月行方同三',
    ],
  },
];

/** The scripts of which the text has letters; undefined if one of its letters is of a script that is not listed. */
export function scriptsIn(text: string): readonly Script[] | undefined {
  const isKnown = [...text].every(
    (character) => !IS_LETTER.test(character) || SCRIPTS.some(({ letter }) => letter.test(character)),
  );
  return isKnown ? SCRIPTS.filter(({ letter }) => letter.test(text)) : undefined;
}

/** Letters that belong to several scripts, such as the long mark of Katakana, say nothing. */
const IS_LETTER = /(?=\p{L})[^\p{sc=Zyyy}\p{sc=Zinh}]/u;
