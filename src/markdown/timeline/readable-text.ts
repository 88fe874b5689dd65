// Blanks what a reader of a text does not read as text: code, addresses, tags of HTML and the folders of links.

/** Each with a sign without which it does not match. */
const HIDDEN: readonly (readonly [sign: string, RegExp])[] = [
  ['`', /(?<!`)(`{1,3})(?!`)[^`\n]*\1/g],
  ['://', /:\/\/\S+/g],
  ['www.', /\bwww\.\S+/g],
  ['](', /\]\([^()\n]*\)/g],
  ['<', /<[^<>\n]{1,1000}>/g],
  ['[[', /(?<=\[\[)[^[\]|#\n]{1,400}\//g],
];

/** Blanks of the same length: every offset stays the same. */
export function readableText(text: string): string {
  return HIDDEN.reduce((left, [sign, pattern]) => {
    return left.includes(sign) ? left.replace(pattern, (hidden) => ' '.repeat(hidden.length)) : left;
  }, text);
}
