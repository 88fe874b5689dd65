// Removes the endings by which one word differs between two statements: the case of a noun, the plural of a unit.
import { foldText } from '../excerpt/fold-text.ts';

/** The cases of Slavic words: what is denied, or counted, has another one than what is not. */
const CASE =
  /(?<=\p{sc=Cyrl}{3})(?:[аяыи]ми|[ое]го|[ое]му|[ое]в|[еоыи]й|[ая]м|[ая]х|[ая]я|[оеыи]е|[ую]ю|[ыи]х|[ыио]м|ем|ею|ою|[аяуюыиеоьй])$/u;
/** `Tage`, `hours`, `metros`, `مترا`. */
const PLURAL = /(?<=[a-z]{2})(?:en|es|os|as|[aeios]|(?<=[rl])n)$|(?<=\p{sc=Arab}{2})(?:ات|[اةه])$/u;
const IRREGULAR = new Map(
  [
    'день дня дней днем',
    'год года лет году',
    'يوم يوما أيام',
    'متر أمتار',
    'سنة سنوات عام',
    'घंटा घंटे घंटों',
    'महीना महीने महीनों',
  ].flatMap((forms) => forms.split(' ').map((form) => [foldText(form), forms] as const)),
);

/** @param word folded, as in the others */
export const withoutCase = (word: string): string => word.replace(CASE, '');

/** What all numbers of a unit have in common: `метр` of `метров` and `метра`. */
export function unitStem(unit: string): string {
  const stem = withoutCase(unit.replace(PLURAL, ''));
  return IRREGULAR.get(unit) ?? IRREGULAR.get(stem) ?? stem;
}
