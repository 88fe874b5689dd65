// Reduces Markdown to the text that a reader sees, as an embedding model was trained on.

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
export const plainSigns = (written: string): string => replaceAll(written, SIGNS);

function replaceAll(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((sum, [sign, by]) => sum.replace(sign, by), text);
}
