// Counts the words of a sentence that deny it, in the largest languages.
import { foldText } from '../excerpt/fold-text.ts';

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
const JOINED = /[不没沒未无無非](?![常过過同论論])|ない(?!し)|ません|なかった|않|없|아니/gu;

export const isNegationWord = (form: string): boolean => WORDS.has(form);

/** In scripts without spaces, the text as it would be without its negation. */
export const withoutNegation = (text: string): string => text.replace(JOINED, '');

export function negationsIn(text: string): number {
  const words = foldText(text).match(/[\p{L}\p{M}]+/gu) ?? [];
  return (
    words.filter(isNegationWord).length + (text.match(CONTRACTED)?.length ?? 0) + (text.match(JOINED)?.length ?? 0)
  );
}
