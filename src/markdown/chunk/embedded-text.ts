// Decides which text of notes and queries is embedded: by the present rules, or by older ones that existing vectors were made with.
import { asChunk, type Chunk, chunkNote, chunkParts } from './chunks.ts';
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
  return plainSigns(replaceAll(written, MARKS)).trim();
}

/** With straight quotes, hyphens and dots instead of typographic ones. */
const plainSigns = (written: string): string => replaceAll(written, SIGNS);

function replaceAll(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((sum, [sign, by]) => sum.replace(sign, by), text);
}

interface Rules {
  readonly version: string;
  maxTokens(contextTokens: number): number;
  chunks(title: string, text: string, maxTokens: number, rates?: TokenRates): readonly Chunk[];
  query(text: string): string;
}

/** Smaller passages are found better, most of all in long notes, and larger ones need fewer vectors; see test/eval/README.md. */
const MAX_PLAIN_TOKENS = 192;

/** Vectors of texts made by different rules are not comparable: a change of the rules or of how notes are cut is a new version. */
const PRESENT: Rules = {
  version: 'plain-1',
  maxTokens: (contextTokens) => Math.min(MAX_PLAIN_TOKENS, chunkTokensFor(contextTokens)),
  chunks: plainChunks,
  query: plainSigns,
};

/** Rules that are still read: a version leaves the list only together with the rules for its text. */
const OLDER: readonly Rules[] = [
  { version: 'headings-1', maxTokens: chunkTokensFor, chunks: chunkNote, query: (text) => text },
];

const nameOf = ({ version, maxTokens }: Rules, contextTokens: number): string =>
  `${version}/${maxTokens(contextTokens)}`;

/** The present rules and the size of chunks, `plain-1/192`; part of a generation's fingerprint. */
export const chunkerName = (contextTokens: number): string => nameOf(PRESENT, contextTokens);

/** Whether the chunks are made by older rules, so that new ones are found better. */
export const hasOlderRules = (chunker: string): boolean => rulesOf(chunker) !== PRESENT;

/** Whether the name is that of older rules with the size they have for the model: its vectors can be searched and kept up to date. */
export function isOlderChunker(name: string, contextTokens: number): boolean {
  return OLDER.some((rules) => nameOf(rules, contextTokens) === name);
}

/** The text to embed for a query that is compared with vectors of this chunker. */
export const queryText = (text: string, chunker: string): string => rulesOf(chunker).query(text);

/** The chunks of a note by the rules and the size that the name says. */
export function chunksFor(chunker: string, title: string, text: string, rates?: TokenRates): readonly Chunk[] {
  return rulesOf(chunker).chunks(title, text, Number(chunker.slice(chunker.indexOf('/') + 1)), rates);
}

function rulesOf(chunker: string): Rules {
  const version = chunker.slice(0, chunker.indexOf('/'));
  return OLDER.find((rules) => rules.version === version) ?? PRESENT;
}

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
