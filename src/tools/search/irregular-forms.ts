// Lists forms that begin otherwise than the word: `bought` of `buy`, كتب of كتاب, `vitabu` of `kitabu`.

const LINES = [
  'arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became, begin began begun, bend bent, bind bound, bite bit bitten, bleed bled, blow blew blown',
  'break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug',
  'draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fling flung',
  'fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, go went gone, grind ground',
  'grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, leap leapt, learn learnt, leave left',
  'lend lent, light lit, lose lost, make made, mean meant, meet met, mistake mistook mistaken, overcome overcame, pay paid, prove proven, ride rode ridden, ring rang rung, rise rose risen',
  'run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung',
  'sink sank sunk, sit sat, sleep slept, slide slid, smell smelt, speak spoke spoken, speed sped, spell spelt, spend spent, spin spun, spoil spoilt, spring sprang sprung, stand stood',
  'steal stole stolen, stick stuck, sting stung, strike struck stricken, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum, swing swung, take took taken',
  'teach taught, tear tore torn, tell told, think thought, throw threw thrown, understand understood, undertake undertook undertaken, wake woke woken, wear wore worn, weave wove woven',
  'weep wept, win won, wind wound, withdraw withdrew withdrawn, write wrote written',
  'child children, foot feet, goose geese, man men, mouse mice, ox oxen, tooth teeth, woman women, half halves, knife knives, loaf loaves',
  'shelf shelves, thief thieves, wife wives, wolf wolves, analysis analyses, basis bases, crisis crises, criterion criteria, phenomenon phenomena, thesis theses',
];

/** Other words too: a rose is no form of `rise`. */
const AMBIGUOUS = new Set('rose ground bound bore left felt wound fell lay bit spoke saw'.split(' '));
const FORMS = new Map<string, readonly string[]>();
for (const line of LINES)
  for (const forms of line.split(', ').map((one) => one.split(' '))) for (const form of forms) FORMS.set(form, forms);

/** All forms of the word, with itself; only itself where rules give them. */
export function irregularForms(word: string): readonly string[] {
  return AMBIGUOUS.has(word) ? [word] : (FORMS.get(word) ?? [word]);
}

/** The article alone or after a preposition or a conjunction, before a noun. */
const ARTICLES = ['', 'ال', 'وال', 'بال', 'لل'];
const WEAK = /[اوي]/gu;
const FEMININE = 'ه';
const FEMININES = 'ات';

/** What the singular of an Arabic noun can be in plural and the reverse, with and without the article. @param word folded, without a clitic */
export function brokenPlurals(word: string): readonly string[] {
  const bare = word.endsWith(FEMININE) ? word.slice(0, -1) : word;
  const inner = bare.startsWith('ا') ? bare.slice(1) : bare;
  // بيت has three consonants, and كتاب as many.
  const root = inner.length === 3 ? inner : inner.charAt(0) + inner.slice(1).replace(WEAK, '');
  const femininePair = word.endsWith(FEMININE) ? [bare + FEMININES] : [];
  const feminine = word.endsWith(FEMININES) ? [word.slice(0, -FEMININES.length) + FEMININE] : [];
  const nouns = [...patternsOf(root), ...femininePair, ...feminine];
  return [...new Set(nouns.flatMap((noun) => ARTICLES.map((article) => article + noun)))];
}

/** The patterns with these consonants: كتاب, كتب and others of كتب. */
function patternsOf(root: string): string[] {
  const [a, b, c, d] = root;
  if (root.length === 3)
    return [
      root,
      `${a}${b}ا${c}`,
      `${a}${b}و${c}`,
      `${a}${b}ي${c}`,
      `${a}ا${b}${c}`,
      `ا${a}${b}ا${c}`,
      root + FEMININE,
    ];
  if (root.length !== 4) return [];
  const longer = [`${a}${b}ا${c}${d}`, `${a}${b}ا${c}ي${d}`, `${a}${b}${c}و${d}`, `${a}${b}${c}ا${d}`];
  return [root, root + FEMININE, ...longer];
}

/** Prefixes of the singular and the plural of nouns in Swahili. */
const CLASSES = [
  ['ki', 'vi'],
  ['mw', 'w'],
  ['m', 'wa'],
] as const;
const MIN_STEM = 2;

/** The plural of a noun in Swahili, and its singular: `vitabu` of `kitabu`. */
export function otherClasses(word: string): readonly string[] {
  return CLASSES.flatMap(([singular, plural]) =>
    [
      [singular, plural],
      [plural, singular],
    ].flatMap(([from = '', to = '']) =>
      word.startsWith(from) && word.length >= from.length + MIN_STEM ? [to + word.slice(from.length)] : [],
    ),
  );
}
