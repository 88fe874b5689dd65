// Blanks what a reader of a text does not read as text: code, addresses, tags of HTML and the folders of links.

type Hidden = readonly (readonly [sign: string, RegExp])[];

/** Embedded files, addresses and the targets of links; each with a sign without which it does not match. */
const TARGETS: Hidden = [
  ['![', /!\[\[[^[\]\n]{1,1000}\]\]|!\[[^[\]\n]{0,1000}\](?:\([^()\n]*\))?/g],
  ['://', /:\/\/\S+/g],
  ['www.', /\bwww\.\S+/g],
  ['](', /\]\([^()\n]*\)/g],
];
/** Code, tags of HTML, and the folders of links. */
const SIGNS: Hidden = [
  ['`', /(?<!`)(`{1,3})(?!`)[^`\n]*\1/g],
  ['<', /<[^<>\n]{1,1000}>/g],
  ['[[', /(?<=\[\[)[^[\]|#\n]{1,400}\//g],
];

/** Blanks of the same length: every offset stays the same. */
const blanked = (text: string, hidden: Hidden): string =>
  hidden.reduce((left, [sign, pattern]) => {
    return left.includes(sign) ? left.replace(pattern, (found) => ' '.repeat(found.length)) : left;
  }, text);

/** What a text says in words. */
export const withoutTargets = (text: string): string => blanked(text, TARGETS);

/** What can have dates. */
export const readableText = (text: string): string => blanked(withoutTargets(text), SIGNS);
