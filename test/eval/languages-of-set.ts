// Names the language of the notes of a set, and that of its questions where it is another one.
import { languageOf, scriptsIn } from '../../src/markdown/excerpt/languages.ts';

/** Scripts that many languages are written in. */
const SHARED = ['Latin', 'Cyrillic'];
/** Other scripts by the language that is most often written in them, where it has another name. */
const LANGUAGES: Readonly<Record<string, string>> = { Hangul: 'Korean', Devanagari: 'Hindi' };
const CHARACTERS = 50_000;
/** Chinese has none. */
const SHARE_OF_HIRAGANA = 0.1;

/** `German`, or `German, asked in English`. */
export function languagesOf(notes: Iterable<string>, questions: readonly string[]): string {
  const [written, asked] = [languageIn([...notes].join('\n')), languageIn(questions.join('\n'))];
  return asked === '' || asked === written ? written : `${written}, asked in ${asked}`;
}

/** Empty without letters. */
function languageIn(text: string): string {
  const sample = text.slice(0, CHARACTERS);
  const letters = sample.match(/\p{L}/gu) ?? [];
  const byScript = Map.groupBy(letters, (letter) => scriptsIn(letter)?.[0]?.name ?? '');
  if ((byScript.get('Hiragana')?.length ?? 0) > SHARE_OF_HIRAGANA * letters.length) return 'Japanese';
  const [[script] = ['']] = [...byScript].sort(([, one], [, other]) => other.length - one.length);
  if (!SHARED.includes(script)) return LANGUAGES[script] ?? script;
  return languageOf(sample.split(/[^\p{L}\p{M}]+/u))?.name ?? script;
}
