// Lists the words that show that a number beside them is a year.
import { isStopWord } from '../../excerpt/stop-words.ts';

/** Folded, with the languages in which they do. */
export const BEFORE_YEAR: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    in: ['en', 'nl', 'it'],
    since: ['en'],
    until: ['en'],
    year: ['en'],
    circa: ['en', 'de', 'it', 'nl'],
    jahr: ['de'],
    jahre: ['de'],
    seit: ['de'],
    bis: ['de'],
    ab: ['de'],
    anno: ['de', 'it'],
    en: ['fr', 'es'],
    depuis: ['fr'],
    annee: ['fr'],
    desde: ['es', 'pt'],
    ano: ['es', 'pt'],
    em: ['pt'],
    dal: ['it'],
    nel: ['it'],
    عام: ['ar'],
    سنة: ['ar'],
    سنه: ['ar'],
    सन: ['hi'],
    सन्: ['hi'],
    वर्ष: ['hi'],
    साल: ['hi'],
    সাল: ['bn'],
    সন: ['bn'],
    nam: ['vi'],
  }),
);

/** Their months are not the same in both halves of the earth, and winter is in two years: they only show the year. */
export const SEASONS: ReadonlySet<string> = new Set(
  [
    'spring summer autumn fall winter fruhling fruhjahr sommer herbst printemps ete automne hiver',
    'primavera verano otono invierno verao outono inverno весна весной лето летом осень осенью зима зимой весны лета осени зимы',
    'الربيع ربيع الصيف صيف خريف الخريف شتاء الشتاء',
  ].flatMap((line) => line.split(' ')),
);

/** Whether what follows a number leaves it a year: in `in 1920 pixels` it counts something. */
export function isClearAfter(written: string, folded: string): boolean {
  if (!/^[\p{L}\p{M}]/u.test(written)) return !/^[%°$€£×*+=/:.'’-]$/u.test(written) || /^[.:'’-]$/.test(written);
  return isStopWord(folded) || /^\p{Lu}/u.test(written) || !/^\p{sc=Latin}/u.test(written);
}
