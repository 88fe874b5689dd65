// Lists the forms of English verbs and nouns that no rule gives: `bought` of `buy`, `children` of `child`.

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
