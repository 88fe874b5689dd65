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
  const given = new Set(words.map((word) => word.normalize('NFC').toLowerCase()));
  const [first, second] = Object.entries(FREQUENT_WORDS)
    .map(([name, frequent]) => ({ name, words: frequent, found: frequent.filter((word) => given.has(word)).length }))
    .sort((one, other) => other.found - one.found);
  if (first === undefined || first.found < MIN_FREQUENT_WORDS || first.found === second?.found) return undefined;
  return { name: first.name, words: first.words };
}
