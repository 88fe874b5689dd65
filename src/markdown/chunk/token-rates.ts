// Adjusts the estimated size of chunks to the tokenizer of a model, by how many tokens it makes of a sample of each script.
/** Fixed samples: counts of others could not be compared. */
export const SCRIPT_SAMPLES = Object.freeze({
  latin: 'The harbour lies quiet before the morning tide, and the fishermen prepare their nets for a long day.',
  greek: 'Το λιμάνι είναι ήσυχο πριν από την πρωινή παλίρροια και οι ψαράδες ετοιμάζουν τα δίχτυα τους.',
  cyrillic: 'Гавань спокойна перед утренним приливом, и рыбаки готовят свои сети к долгому дню.',
  hebrew: 'הנמל שקט לפני הגאות של הבוקר והדייגים מכינים את הרשתות ליום ארוך.',
  arabic: 'الميناء هادئ قبل مد الصباح والصيادون يجهزون شباكهم ليوم طويل.',
  devanagari: 'सुबह के ज्वार से पहले बंदरगाह शांत है और मछुआरे अपने जाल तैयार करते हैं।',
  thai: 'ท่าเรือเงียบสงบก่อนน้ำขึ้นในตอนเช้า และชาวประมงเตรียมอวนของพวกเขา',
  han: '早潮来临之前港口一片宁静，渔民们正在为漫长的一天准备渔网。',
  kana: 'あさのしおがみちるまえ、みなとはしずかで、りょうしたちはあみをととのえています。',
  hangul: '아침 밀물이 들기 전 항구는 고요하고 어부들은 긴 하루를 위해 그물을 준비한다.',
});

type Script = keyof typeof SCRIPT_SAMPLES;
export const SCRIPTS = Object.freeze(Object.keys(SCRIPT_SAMPLES)) as readonly Script[];

/** Tokens of one character, for scripts of which the model makes more than is usual. */
export type TokenRates = Readonly<Partial<Record<Script, number>>>;
export const USUAL_RATES: TokenRates = Object.freeze({});

/** First and last character. Blocks of other alphabets have no sample. */
const BLOCKS: readonly (readonly [number, number, Script])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x370, 0x3ff, 'greek'],
  [0x400, 0x52f, 'cyrillic'],
  [0x590, 0x5ff, 'hebrew'],
  [0x600, 0x77f, 'arabic'],
  [0x900, 0x97f, 'devanagari'],
  [0xe00, 0xe7f, 'thai'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 'greek'],
  [0x3040, 0x30ff, 'kana'],
  [0x3400, 0x9fff, 'han'],
  [0xac00, 0xd7af, 'hangul'],
];

export function scriptOf(code: number): Script | undefined {
  return BLOCKS.find(([first, last]) => code >= first && code <= last)?.[2];
}

/** Rates are multiples of this, so that sums of sizes are exact. */
const UNIT = 1 / 32;

/**
 * The rate of a script; undefined for a count that no tokenizer can make, which is above one token for each byte.
 * @param tokens of the sample, as the server counts them
 * @param overhead tokens that the server adds to each text, such as those of a prefix
 */
export function rateOf(script: Script, tokens: number, overhead: number): number | undefined {
  const sample = SCRIPT_SAMPLES[script];
  const textTokens = tokens - overhead;
  if (textTokens > Buffer.byteLength(sample)) return undefined;
  const letters = [...sample].filter((character) => scriptOf(character.charCodeAt(0)) === script).length;
  return Math.ceil(textTokens / letters / UNIT) * UNIT;
}
