// Decides which text of notes and queries is embedded.
import { asChunk, type Chunk, chunkParts } from './chunks.ts';
import { chunkTokensFor } from './text-size.ts';
import type { TokenRates } from './token-rates.ts';

/** In this order. The texts are chunks of a limited size, so that no expression reads far. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/<!--[\s\S]*?-->|%%[\s\S]*?%%/g, ''],
  // Lines without text: fences, rules, rows of dashes in tables.
  [/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ''],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ''],
  [/^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/gm, ''],
  // Beginnings of lines: quotes with the kind of a callout, headings, list items with a checkbox.
  [/^(?:[ \t]*>[ \t]?)+(?:\[![\w-]+\][+-]?)?/gm, ''],
  [/^[ \t]{0,3}#{1,6}[ \t]+/gm, ''],
  [/^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?/gm, '$1'],
  // Links show their text; an address shows its host.
  [/!?\[\[[^[\]\r\n|]{1,500}\|([^[\]\r\n]{1,500})\]\]/g, '$1'],
  [/!?\[\[#*([^[\]\r\n#]{0,500})(?:#+\^?([^[\]\r\n]{0,500}))?\]\]/g, '$1 $2'],
  [/!?\[([^[\]\r\n]{0,500})\]\([^()\r\n]{0,1000}\)/g, '$1'],
  [/\bhttps?:\/\/([^\s<>)\]/]{1,200})[^\s<>)\]]{0,2000}/g, '$1'],
  [/\[\^[^\]\s]{1,100}\]:?/g, ''],
  [/[ \t]+\^[A-Za-z0-9-]+[ \t]*$/gm, ''],
  [/<\/?[A-Za-z][^<>\r\n]{0,300}>/g, ' '],
  [/\\(?=[!-/:-@[-`{-~])/g, ''],
  [/\*{1,3}|_{2,3}|~~|==|`+/g, ''],
  [/(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu, ''],
  [/(^|\s)#(?=\p{L})/gu, '$1'],
  [/\|/g, ' '],
  [/[ \t]+$/gm, ''],
  [/[ \t]{2,}/g, ' '],
  [/\n{3,}/g, '\n\n'],
];

/** Some servers split words at these signs otherwise than the model was trained. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛]/g, "'"],
  [/[“”„‟«»「」『』]/g, '"'],
  [/[‐‑‒–—―−]/g, '-'],
  [/…/g, '...'],
];

/** Without marks, addresses of links and lines that only structure the text. @param written at most a chunk */
export function plainText(written: string): string {
  return queryText(replaceAll(written, MARKS)).trim();
}

function replaceAll(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((sum, [sign, by]) => sum.replace(sign, by), text);
}

/** Vectors of texts made by different rules are not comparable: a change of the rules or of how notes are cut is a new version. */
const RULES = 'plain-1';
/** Smaller passages are found better, most of all in long notes, and larger ones need fewer vectors; see test/eval/README.md. */
const MAX_TOKENS = 192;

/** The rules and the size of chunks, `plain-1/192`; part of a generation's fingerprint. */
export const chunkerName = (contextTokens: number): string =>
  `${RULES}/${Math.min(MAX_TOKENS, chunkTokensFor(contextTokens))}`;

/** The text to embed for a query: with straight quotes, hyphens and dots instead of typographic ones. */
export const queryText = (written: string): string => replaceAll(written, SIGNS);

/** The chunks of a note of the size that the name of the chunker says. */
export const chunksFor = (chunker: string, title: string, text: string, rates?: TokenRates): readonly Chunk[] =>
  plainChunks(title, text, Number(chunker.slice(chunker.indexOf('/') + 1)), rates);

/** Chunks without Markdown marks; one of nothing but marks is left out. */
function plainChunks(title: string, text: string, maxTokens: number, rates?: TokenRates): readonly Chunk[] {
  const plain = chunkParts(title, text, maxTokens, rates).map(({ lines, path, content }) => {
    return { lines, path: plainText(path), content: plainText(content) };
  });
  const written = plain.filter(({ content }) => content !== '');
  const [first] = plain;
  const kept = written.length > 0 || first === undefined || first.path === '' ? written : [first];
  return kept.map(asChunk);
}
