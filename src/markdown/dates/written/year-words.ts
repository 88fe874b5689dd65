// The words around a number that say whether it is a year, a decade, or the years from one to another.
import { foldText } from '../../excerpt/fold-text.ts';
import { isStopWord } from '../../excerpt/stop-words.ts';
import { foldedWords } from '../period-words.ts';

/** Folded, with the languages in which they do. */
export const BEFORE_YEAR: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    in: ['en', 'nl', 'it'],
    since: ['en'],
    until: ['en'],
    during: ['en'],
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
    hasta: ['es'],
    ate: ['pt'],
    durante: ['es', 'pt'],
    ano: ['es', 'pt'],
    em: ['pt'],
    dal: ['it'],
    nel: ['it'],
    منذ: ['ar'],
    عام: ['ar'],
    سنه: ['ar'],
    سال: ['ar', 'ur', 'fa'],
    सन: ['hi'],
    सन्: ['hi'],
    वर्ष: ['hi'],
    साल: ['hi'],
    সাল: ['bn'],
    সন: ['bn'],
    nam: ['vi'],
    pada: ['id'],
    tahun: ['id'],
    sejak: ['id'],
  }),
);

/** Whether what follows a number leaves it a year: in `in 1920 pixels` it counts something. */
export function isClearAfter(written: string, folded: string): boolean {
  if (!/^[\p{L}\p{M}]/u.test(written)) return !/^[%°$€£×*+=/:.'’-]$/u.test(written) || /^[.:'’-]$/.test(written);
  return isStopWord(folded) || /^\p{Lu}/u.test(written) || !/^\p{sc=Latin}/u.test(written);
}

/** Only of numbers that cannot be a time of day: `mid 2025`, `Ende 2025`, `mediados de 2025`. */
export const PARTS_OF_YEAR = foldedWords(
  'mid mi late early mitte anfang ende mediados finales principios comienzos meados finais início año ano fin début',
);
/** `2026 में`. */
export const IN_YEAR = foldedWords('में میں');
export const DECADES = foldedWords('années años anos anni');
/** The ends of decades in German, Dutch and Swedish, and in Russian and Ukrainian after a hyphen. */
export const endsDecade = (folded: string, hasHyphen: boolean): boolean =>
  hasHyphen ? /^(?:х|е|ых|ті|ва|тих)$/u.test(folded) : /^(?:s|er|ern|ere|talet)$/u.test(folded);
export const FROM_YEAR = foldedWords('from von de du desde del с со من dari dal');
export const BETWEEN_YEARS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    between: ['and'],
    zwischen: ['und'],
    entre: ['y', 'e', 'et'],
    между: ['и'],
    بين: ['و'],
    antara: ['dan'],
    tra: ['e'],
    tussen: ['en'],
  }).map(([word, joints]) => [foldText(word), joints.map(foldText)] as const),
);
/** Before numbers of pages, not of years. */
export const PAGES = foldedWords(
  'pages page pp p s seiten seite páginas página pág pags стр с страницы страница lines line rooms nos no nr',
);
