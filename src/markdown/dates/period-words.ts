// The words for parts of a year in the twelve languages with the most writers and their neighbours, folded.
import { foldText } from '../excerpt/fold-text.ts';

export const foldedWords = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')).map(foldText));

/** What is between the parts of a date. */
export const JOINTS: ReadonlySet<string> = foldedWords(
  ", . - – — / ~ ' ’ l d of the and to del de la do da di du le el den der dem des r g",
  'г года году года год st nd rd th го й я ий er ere е e er ere eme nam ngay thang anul an ano annee jahr jahres year',
  'und bis et au y e a i al и по до سنه عام من वर्ष साल सन की के का से সালের সাল সন থেকে 第 から の 到 至 의 부터',
  'month monat monats mes mois месяца شهر महीने এর মাসের মাস 的',
);
export const QUARTERS: ReadonlySet<string> = foldedWords(
  'quarter quartal quartals trimestre trimestral trimestres квартал квартала квартале तिमाही ربع الربع ত্রৈমাসিক kvartal kwartal',
);
export const WEEKS: ReadonlySet<string> = foldedWords(
  'week kw woche kalenderwoche semana semaine settimana неделя неделе недели सप्ताह الأسبوع أسبوع الاسبوع اسبوع সপ্তাহ cw tydzien',
);
/** They have no number in a year, only in a month. */
export const WEEKS_OF_MONTH: ReadonlySet<string> = foldedWords(
  'weeks wochen semanas semaines неделю недель weekend weekends wochenende wochenendes выходные выходных 주 주말 週 周',
  'सप्ताहांत हफ्ते हफ़्ता সপ্তাহে সপ্তাহের',
);
export const HALVES: ReadonlySet<string> = foldedWords(
  'half halfte halbjahr jahreshalfte monatshalfte moitie semestre quincena quinzaine mitad metade quinzena',
  'половина половине половину полугодие полугодии छमाही النصف অর্ধেক অর্ধেকে',
);
export const ORDINALS: readonly ReadonlySet<string>[] = [
  'first erstes ersten erste primer primera primeiro primeira premier premiere первый первом первого первая первой первую पहली पहले पहला الاول الاولى প্রথম 첫째 첫',
  'second zweites zweiten zweite segundo segunda deuxieme второй втором второго вторая вторую दूसरी दूसरे दूसरा الثاني الثانية দ্বিতীয় 둘째',
  'third drittes dritten dritte tercer tercera terceiro terceira troisieme третий третьем третьего третья третьей तीसरी तीसरे तीसरा الثالث الثالثة তৃতীয় 셋째',
  'fourth viertes vierten vierte cuarto cuarta quarto quarta quatrieme четвертый четвертом четвертого четвертой चौथी चौथे चौथा الرابع চতুর্থ 넷째',
].map((line) => foldedWords(line));
/** From two on: `the last two weeks`. */
export const COUNTS: readonly ReadonlySet<string>[] = [
  foldedWords('two zwei beiden dos dois duas deux две दो দুই'),
  foldedWords('three drei tres trois три तीन তিন'),
];
export const LAST: ReadonlySet<string> = foldedWords(
  'last letzte letzten letzter letztes ultima ultimo ultimas ultimos derniere dernier dernieres derniers',
  'последняя последней последнюю последние последних अंतिम आखिरी الاخير الاخيرة শেষ 最后 最後 마지막',
);
export const BETWEEN: ReadonlySet<string> = foldedWords('between zwischen entre между بين');

/** The first, the middle and the last third of the time that is named beside it. */
export const THIRDS: readonly ReadonlySet<string>[] = [
  foldedWords(
    'early beginning start anfang beginn debut principios comienzos inicios inicio principio comeco начало начале начала',
    'اوائل بداية مطلع शुरुआत शुरू आरंभ শুরু শুরুতে শুরুর 初 上旬 初旬 初頭 初め はじめ 頭 초 초순 inizio poczatek poczatku',
  ),
  foldedWords(
    'mid middle mitte mi milieu mediados meados середина середине середины منتصف اواسط मध्य মাঝামাঝি 中旬 半ば 中頃 중순 polowa polowie',
  ),
  foldedWords(
    'late end ende fin finales fines finais fim конец конце конца اواخر نهاية अंत आखिर শেষে শেষের 末 底 下旬 終わり 말 하순 koniec koncu',
  ),
];
/** These languages write a part after what it is a part of. */
export const FOLLOWS = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Deva}\p{sc=Beng}]/u;
/** Each follows a month, a season or a year without a blank. */
export const CJK_PARTS =
  '上旬|初旬|中旬|下旬|初頭|初め|はじめ|半ば|中頃|終わり|上半期|下半期|上半年|下半年|上半月|下半月|前半|後半|상반기|하반기|末|初|底|頭';
export const CJK_HALVES: readonly ReadonlySet<string>[] = [
  foldedWords('上半期 上半年 上半月 前半 상반기'),
  foldedWords('下半期 下半年 下半月 後半 하반기'),
];

/** Spring, summer, autumn and winter. */
const SEASON_WORDS: readonly ReadonlySet<string>[] = [
  foldedWords(
    'spring springtime fruhling fruhjahr printemps primavera весна весной весны весну wiosna ilkbahar voorjaar lente',
    'الربيع ربيع वसंत बसंत বসন্ত বসন্তে 春 봄',
  ),
  foldedWords(
    'summer summertime sommer sommers ete verano verao estate лето летом лета latem lato zomer yaz',
    'الصيف صيف गर्मी गर्मियों ग्रीष्म গ্রীষ্ম গ্রীষ্মে গ্রীষ্মকালে 夏 여름',
  ),
  foldedWords(
    'autumn fall herbst automne otono outono autunno осень осенью осени jesien jesienia sonbahar herfst najaar',
    'خريف الخريف शरद पतझड़ শরৎ শরতে হেমন্ত হেমন্তে 秋 가을',
  ),
  foldedWords(
    'winter wintertime winters hiver invierno inverno зима зимой зимы зиму zima kis',
    'شتاء الشتاء सर्दी सर्दियों जाड़े শীত শীতে শীতকালে 冬 겨울',
  ),
];
export const SEASONS: ReadonlySet<string> = new Set(SEASON_WORDS.flatMap((words) => [...words]));
/** `Frühsommer`, `Spätherbst`. */
const GERMAN_THIRDS = ['fruh', 'hoch', 'spat'];
/** Those of the northern half of the earth. */
const SEASON_MONTHS = [
  ['03', '04', '05'],
  ['06', '07', '08'],
  ['09', '10', '11'],
  ['12', '01', '02'],
] as const;
/** Seasons that say by themselves that something was then. */
const ADVERBS = foldedWords('весной летом осенью зимой latem jesienia zima');
/** A season follows one of these; without a year it is another word otherwise. */
const BEFORE_SEASON = foldedWords('in during im en no na durante pendant au');
const FEASTS: readonly (readonly [words: ReadonlySet<string>, days: readonly string[]])[] = [
  [
    foldedWords(
      'christmas xmas weihnachten weihnacht noel navidad natal natale क्रिसमस বড়দিন 圣诞节 圣诞 聖誕節 クリスマス 크리스마스 성탄절',
    ),
    ['12-24', '12-25', '12-26'],
  ],
  [foldedWords('halloween 万圣节 ハロウィン 핼러윈'), ['10-31']],
  [foldedWords('silvester nochevieja 除夜 大晦日'), ['12-31']],
];

/** A time of each year. */
export interface YearlyTime {
  /** Months, or days (`12-24`). */
  readonly parts: readonly string[];
  /** Only the first, the middle or the last third of it: 0, 1 or 2. */
  readonly third?: number;
  /** Whether it is a time without a year too. */
  readonly isSure: boolean;
  readonly isWinter: boolean;
}

export function yearlyTime(word: string, before: string | undefined): YearlyTime | undefined {
  const feast = FEASTS.find(([words]) => words.has(word));
  if (feast !== undefined) return { parts: feast[1], isSure: false, isWinter: false };
  const prefix = SEASONS.has(word) ? -1 : GERMAN_THIRDS.findIndex((start) => word.startsWith(start));
  const season = prefix === -1 ? word : word.slice((GERMAN_THIRDS[prefix] as string).length);
  const at = SEASON_WORDS.findIndex((words) => words.has(season));
  if (at === -1) return undefined;
  const isSure = ADVERBS.has(word) || BEFORE_SEASON.has(before ?? '');
  return { parts: SEASON_MONTHS[at] ?? [], isSure, isWinter: at === 3, ...(prefix !== -1 && { third: prefix }) };
}
