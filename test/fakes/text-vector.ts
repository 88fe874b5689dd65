// Computes a vector from a text's hashed words, so that texts with common words are similar.

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}';
const WORDS = new RegExp(`[${CJK}]|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const SCATTERED = 6;
/** Ensures that the components of one word never cancel each other. */
const LESS_EACH_TIME = 0.87;

/** Words in lower case, and each CJK character; if there are none, everything that is not white space. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.match(WORDS) ?? folded.match(/\S/gu) ?? [];
}

interface Reader {
  readonly contextTokens: number;
  readonly countTokens: (text: string) => number;
}

/** What a model reads of a text that it cuts at its context: the first words. */
export function readOf(text: string, { contextTokens, countTokens }: Reader): string {
  if (countTokens(text) <= contextTokens) return text;
  const words = wordsOf(text);
  let left = contextTokens;
  const end = words.findIndex((word) => {
    left -= countTokens(word);
    return left < 0;
  });
  return words.slice(0, end === -1 ? words.length : end).join(' ') || text;
}

/**
 * Finite and of unit length; zero only for white space. The order of the words does not matter.
 * @param weights other weights act as another model
 */
export function textVector(text: string, dims = 64, weights = ''): Float32Array {
  const sums = new Float64Array(dims);
  for (const word of wordsOf(text).sort()) scatter(word, weights, sums);
  const length = Math.hypot(...sums);
  return Float32Array.from(sums, (sum) => (length === 0 ? 0 : sum / length));
}

/** Each word has a few components of its own, so that two words rarely share one. */
function scatter(word: string, weights: string, sums: Float64Array): void {
  const hash = hashOf(weights + word);
  let weight = weightOf(word);
  for (let copy = 0; copy < SCATTERED; copy += 1) {
    const mixed = mix(hash + Math.imul(copy, 0x9e3779b9));
    const at = mixed % sums.length;
    sums[at] = (sums[at] as number) + (mixed & 0x40000000 ? weight : -weight);
    weight *= LESS_EACH_TIME;
  }
}

/** Short words such as "the" and "of" count less, except words of a single non-ASCII character. */
const weightOf = (word: string): number => (/^[a-z]{1,3}$/.test(word) ? 0.3 : 1);

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Mixes the bits of an unsigned 32-bit number, so that each input bit affects every output bit. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
