// Blanks what a reader of a text does not read as text: code, addresses, tags of HTML and the folders of links.

const HIDDEN: readonly RegExp[] = [
  /(?<!`)(`{1,3})(?!`)[^`\n]*\1/g,
  /\b[a-z][a-z0-9+.-]{1,9}:\/\/\S+/gi,
  /\bwww\.\S+/gi,
  /\]\([^()\n]*\)/g,
  /<[^<>\n]{1,1000}>/g,
  /(?<=\[\[)[^[\]|#\n]{1,400}\//g,
  /<%[^%\n]*%>/g,
];

/** Blanks of the same length: every offset stays the same. */
export function readableText(text: string): string {
  return HIDDEN.reduce((left, pattern) => left.replace(pattern, (hidden) => ' '.repeat(hidden.length)), text);
}
