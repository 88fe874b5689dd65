// The English words that hold a sentence together and say nothing of what it is about. Knows no query.

const FUNCTION_WORDS = new Set(
  [
    'a an the this that these those it its there here',
    'i me my we our you your he him his she her they them their',
    'of to in on at by for from with into about as than',
    'and or but if so then not no',
    'is are was were be been being am do does did have has had',
    'can could might must shall should would',
    'how what when where which who whom whose why',
  ].flatMap((line) => line.split(' ')),
);

/** `may` and `will` are left: a month, a name. Not where it is written in capitals: `IT` and `WHO` are names. */
export function isFunctionWord(written: string): boolean {
  const word = written.replace(/[?!.,;:]+$/, '');
  const isName = word.length > 1 && word === word.toUpperCase();
  return !isName && FUNCTION_WORDS.has(word.toLowerCase());
}
