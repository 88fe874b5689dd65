// Finds the function words of a sentence, and with them its language.
import { foldText } from '../../markdown/excerpt/fold-text.ts';

const LISTS = {
  en: [
    'a an the this that these those it its there here',
    'i me my we our you your he him his she her they them their',
    'of to in on at by for from with into about as than',
    'and or but if so then not no',
    'is are was were be been being am do does did have has had',
    'can could might must shall should would',
    'how what when where which who whom whose why',
  ],
  de: [
    'der die das den dem des ein eine einen einem einer eines dies diese dieser dieses es',
    'ich mich mir wir uns du dich dir ihr er ihn ihm sie ihnen sein seine ihre mein meine',
    'von zu zum zur in im an am auf aus bei beim mit nach vor für über um als durch',
    'und oder aber wenn so dann nicht kein keine auch',
    'ist sind war waren bin wird wurde wurden werden hat haben hatte hatten kann können muss soll',
    'wie was wann wo wohin woher welche welcher welches welchen wer wen wem wessen warum wieso',
  ],
  fr: [
    'le la les un une des du de ce cet cette ces il elle ils elles on y en',
    'je me moi nous vous tu te toi lui leur son sa ses mon ma mes se',
    'à au aux dans sur par pour avec sans chez vers comme que',
    'et ou mais si donc ne pas plus',
    'est sont était étaient être suis fut ont a avait avoir peut faut doit',
    'comment quel quelle quels quelles quand où qui quoi dont pourquoi est-ce',
  ],
  es: [
    'el la los las lo un una unos unas este esta estos estas ese esa eso',
    'yo me mi nos nosotros tú te tu su sus él ella ellos ellas se le les',
    'de del a al en por para con sin sobre como que desde hasta',
    'y e o u pero si no ni',
    'es son era eran fue fueron ser está están estar ha han había hay puede debe',
    'cómo qué cuándo dónde cuál cuáles quién quiénes cuyo cuánto cuántos cuántas',
  ],
  it: [
    'il lo la i gli le un uno una questo questa questi queste quello quella ciò',
    'io mi noi ci voi tu ti lui lei loro suo sua suoi mio mia si ne',
    'di del della dei delle dello a al alla ai alle da dal dalla in nel nella con su sul sulla per tra fra come che',
    'e ed o ma se non né',
    'è sono era erano fu furono essere ha hanno aveva avere può deve',
    'quale quali quando dove chi cosa perché quanto quanti quante',
  ],
  pt: [
    'o a os as um uma uns umas este esta estes estas esse essa isso isto',
    'eu me nós nos você vocês tu te ele ela eles elas seu sua seus suas meu minha se lhe',
    'de do da dos das em no na nos nas ao aos à às por pelo pela para com sem sobre como que',
    'e ou mas se não nem',
    'é são era eram foi foram ser está estão estar tem têm tinha há pode deve',
    'quando onde qual quais quem cujo porque quanto quantos quantas',
  ],
  nl: [
    'de het een dit dat deze die er hier',
    'ik mij me wij we ons onze jij je u hij hem zijn zij ze haar hun mijn',
    'van te naar in op aan bij voor met uit over om als door dan',
    'en of maar indien dus niet geen ook',
    'is was waren ben wordt werd werden worden heeft hebben had hadden kan moet zal zou',
    'hoe wat wanneer waar welke welk wie wiens waarom',
  ],
} as const;

export type Language = keyof typeof LISTS;

const WORDS = new Map(
  Object.entries(LISTS).map(([language, lines]) => [
    language as Language,
    new Set(lines.flatMap((line) => line.split(' '))) as ReadonlySet<string>,
  ]),
);

const FOLDED = new Set([...WORDS.values()].flatMap((words) => Array.from(words, (word) => foldText(word))));

/** In any of the languages. @param word folded */
export const isFunctionWord = (word: string): boolean => FOLDED.has(word);

/** A single word may be the same in a name or in another language. */
const MIN_FOREIGN = 2;

/**
 * The language with the most function words among the words of a query, English if no other has more, and those words.
 * @param words as written
 */
export function functionWordsIn(words: readonly string[]): {
  readonly language: Language;
  readonly words: ReadonlySet<string>;
} {
  const possible = words.flatMap((written) => {
    const word = possibleWord(written);
    return word === undefined ? [] : [{ written, word }];
  });
  const foundIn = (knownWords: ReadonlySet<string> = new Set()): ReadonlySet<string> =>
    new Set(possible.filter(({ word }) => knownWords.has(word)).map(({ written }) => written));
  let best = { language: 'en' as Language, words: foundIn(WORDS.get('en')) };
  for (const [language, known] of WORDS) {
    const found = foundIn(known);
    if (found.size >= MIN_FOREIGN && found.size > best.words.size) best = { language, words: found };
  }
  return best;
}

/** Words in capitals such as `IT` and `WHO` are names. `may` and `will` are not in the lists: a month and a name. */
function possibleWord(written: string): string | undefined {
  const word = written.replace(/^[¿¡]+|[?!.,;:]+$/g, '');
  const isName = word.length > 1 && word === word.toUpperCase();
  return isName ? undefined : word.normalize('NFC').toLowerCase();
}
